// What people are asked: what is to be judged, next to the buttons.
import {useState} from 'preact/hooks';
import {Json, change} from './api';
import {useData} from './data';
import {Problem} from './parts';
import {File} from './task';
import {Pre, visible} from './text';
import {clock, t} from './words';

export function Questions() {
  const questions = useData<Json[]>('questions', {});
  if (questions.error) return <Problem error={questions.error} />;
  const open = (questions.value ?? []).filter((one) => one.kind !== 'alert');
  const notices = (questions.value ?? []).filter((one) => one.kind === 'alert');
  return (
    <section class="main">
      <h1>{t('questions')}</h1>
      {questions.value && open.length === 0 && <p class="muted">{t('noQuestions')}</p>}
      {open.map((question) => <QuestionCard key={question.id} question={question} linked />)}
      {notices.length > 0 && <h2>{t('notices')}</h2>}
      {notices.map((one) => <p class="note" key={one.id}>{clock(one.asked_at)} {visible(one.text)}</p>)}
    </section>
  );
}

async function encoded(file: globalThis.File): Promise<{name: string; content_base64: string}> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return {name: file.name, content_base64: btoa(text)};
}

export const encodeFiles = (files: FileList | null) => Promise.all([...(files ?? [])].map(encoded));

export function QuestionCard({question, linked}: {question: Json; linked?: boolean}) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<FileList | null>(null);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const decides = (question.choices ?? []).length > 0;
  const answer = async (decision?: 'approve' | 'reject') => {
    setBusy(true);
    setError(undefined);
    try {
      await change('answer', {
        id: question.id, text, ...(decision ? {decision} : {}), ...(question.judged ? {judged: question.judged} : {}),
        files: await encodeFiles(files),
      });
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  const about = useData<Json>(question.plan_id && question.task_id && question.kind === 'approve' ? 'show' : null,
                              {plan_id: question.plan_id, what: question.task_id}, question.plan_id);
  const commands: Json[] = about.value?.commands ?? [];
  const candidate = commands[commands.length - 1];
  const former = commands[commands.length - 2];
  const field = 'text-' + question.id;
  return (
    <article class="question" aria-labelledby={question.id}>
      <h2 id={question.id}>{linked && question.plan_id ? <a href={'#/plan/' + question.plan_id}>{question.plan_id}</a> : null} {visible(question.task_id ?? '')} <span class="muted">{visible(question.from ?? '')} · {clock(question.asked_at)}</span></h2>
      <Pre text={question.text} />
      {question.risk === 'high' && <p class="trouble">⚠ {question.risk}</p>}
      {(candidate?.outputs ?? []).length > 0 && (
        <ul class="files">{candidate.outputs.map((file: Json) => <File key={file.name + file.sha256} plan={question.plan_id} file={file} before={(former?.outputs ?? []).find((one: Json) => one.name === file.name)} />)}</ul>
      )}
      <label for={field}>{t('reason')}</label>
      <textarea id={field} rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <label>{t('files')} <input type="file" multiple onChange={(event) => setFiles(event.currentTarget.files)} /></label>
      <div class="buttons">
        {decides ? (
          <>
            <button disabled={busy} onClick={() => answer('approve')}>{t('approve')}</button>
            <button disabled={busy} class="quiet" onClick={() => answer('reject')}>{t('reject')}</button>
          </>
        ) : <button disabled={busy || (!text.trim() && !files?.length)} onClick={() => answer()}>{t('send')}</button>}
      </div>
      {error && <Problem error={error} />}
    </article>
  );
}
