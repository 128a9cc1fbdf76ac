// What people are asked: what is to be judged, next to the buttons.
import {useState} from 'preact/hooks';
import {Json, change, encodeFiles} from './api';
import {ofPlan, questions as asks, useData} from './data';
import {File} from './files';
import {Loading, Problem, Section} from './parts';
import {planPath} from './router';
import {Pre, visible} from './text';
import {clock, t} from './words';

export function Questions() {
  const questions = useData<Json[]>('questions', {}, asks);
  const open = (questions.value ?? []).filter((one) => one.kind !== 'alert');
  const notices = (questions.value ?? []).filter((one) => one.kind === 'alert');
  return (
    <section class="main">
      <h1>{t('questions')}</h1>
      {questions.error && <Problem error={questions.error} />}
      {!questions.value && !questions.error && <Loading />}
      {questions.value && open.length === 0 && <p class="empty">{t('noQuestions')}</p>}
      {open.map((question) => <QuestionCard key={question.id} question={question} linked />)}
      {notices.length > 0 && <h2>{t('notices')}</h2>}
      {notices.map((one) => <p class="note" key={one.id}><span class="muted">{clock(one.asked_at)}</span> {visible(one.text)}</p>)}
    </section>
  );
}

// The files that a question is about. Where it names none, those of the task's last command.
function useJudged(question: Json): {file: Json; before: string | null}[] {
  const named: Json[] = question.files ?? [];
  const asksForTask = named.length === 0 && question.plan_id && question.task_id && question.kind === 'approve';
  const about = useData<Json>(asksForTask ? 'show' : null, {plan_id: question.plan_id, what: question.task_id}, ofPlan(question.plan_id ?? ''), 1000);
  // The difference between two versions is shown with the file itself.
  const isDiff = (file: Json) => file.name.endsWith('.diff') && named.some((one) => one.name + '.diff' === file.name);
  if (named.length) return named.filter((file) => !isDiff(file)).map((file) => ({file, before: file.before_sha256}));
  const commands: Json[] = about.value?.commands ?? [];
  const former: Json[] = commands[commands.length - 2]?.outputs ?? [];
  return (commands[commands.length - 1]?.outputs ?? []).map((file: Json) => ({file, before: former.find((one) => one.name === file.name)?.sha256 ?? null}));
}

// `folded`: only its first line is shown until somebody opens it.
export function QuestionCard({question, linked, folded}: {question: Json; linked?: boolean; folded?: boolean}) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<FileList | null>(null);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const judged = useJudged(question);
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
  const field = 'text-' + question.id;
  const [first] = question.text.split('\n');
  const rest = question.text.slice(first.length).trim();
  const leads: Record<string, string> = question.leads_to ?? {};
  return (
    <article class="question" aria-labelledby={question.id}>
      <details open={!folded}>
      <summary>
        <h2 id={question.id}><span aria-hidden="true">?</span> {visible(question.task_id ?? '')} <span class="plain">{visible(first)}</span> <span class="muted">{visible(question.from ?? '')} · {clock(question.asked_at)}{question.deadline && ` · ${t('until')} ${clock(question.deadline)}`}</span></h2>
      </summary>
      {linked && question.plan_id && <p class="muted"><a href={planPath(question.plan_id)}>{question.plan_id}</a></p>}
      {judged.length > 0 ? <Section title={t('wholeQuestion')}><Pre text={question.text} /></Section> : rest && <Pre text={rest} />}
      {question.risk === 'high' && <p class="trouble">⚠ {t('highRisk')}</p>}
      {judged.length > 0 && (
        <ul class="files">{judged.map(({file, before}, at) => <File key={file.name + file.sha256} plan={question.plan_id} file={file} before={before} open={at === 0} />)}</ul>
      )}
      <div class="answer changes">
        <label class="grow"><span class="hidden">{t('reason')}</span><textarea id={field} rows={2} placeholder={t('reason')} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <label class="pick"><span class="hidden">{t('files')}</span><input type="file" multiple title={t('files')} onChange={(event) => setFiles(event.currentTarget.files)} /></label>
        {decides ? (
          <>
            <button disabled={busy} class="quiet" title={leads.reject} onClick={() => answer('reject')}>{t('reject')}</button>
            <button disabled={busy} title={leads.approve} onClick={() => answer('approve')}>{t('approve')}</button>
          </>
        ) : <button disabled={busy || (!text.trim() && !files?.length)} onClick={() => answer()}>{t('send')}</button>}
      </div>
      {decides && (leads.approve || leads.reject) && <p class="muted leads">{leads.approve && <span>{t('approve')}: {visible(leads.approve)}</span>}{leads.reject && <span>{t('reject')}: {visible(leads.reject)}</span>}</p>}
      {error && <Problem error={error} />}
      </details>
    </article>
  );
}
