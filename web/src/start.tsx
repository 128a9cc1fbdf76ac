// Starts a goal with files, or a plan that is checked while it is typed.
import {useEffect, useState} from 'preact/hooks';
import {Json, call, change, encodeFiles} from './api';
import {Problem} from './parts';
import {go} from './router';
import {visible} from './text';
import {t} from './words';

export function Start() {
  return <section class="main"><h1>{t('start')}</h1><Goal /><Plan /></section>;
}

function Goal() {
  const [goal, setGoal] = useState('');
  const [files, setFiles] = useState<FileList | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    try {
      setBusy(true);
      const made = await change('goal', {goal, files: await encodeFiles(files)});
      go({plan: made.plan_id, tab: 'graph', task: ''});
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  return (
    <form class="start card" onSubmit={run}>
      <h2><label for="goal">{t('goal')}</label></h2>
      <p class="muted">{t('goalHint')}</p>
      <textarea id="goal" rows={3} value={goal} onInput={(event) => setGoal(event.currentTarget.value)} />
      <label class="pick">{t('files')} <input id="goal-files" type="file" multiple onChange={(event) => setFiles(event.currentTarget.files)} /></label>
      <button disabled={busy || !goal.trim()}>{t('run')}</button>
      {error && <Problem error={error} />}
    </form>
  );
}

function Plan() {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<FileList | null>(null);
  const [checked, setChecked] = useState<Json>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    setChecked(undefined);
    if (!text.trim()) return;
    const timer = setTimeout(() => call('plan/check', {text}).then(setChecked, setError), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const run = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    try {
      const made = await change('plan/run', {plan: text, files: await encodeFiles(files)});
      go({plan: made.plan_id, tab: 'graph', task: ''});
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const issues: Json[] = [...(checked?.errors ?? []), ...(checked?.warnings ?? [])];
  return (
    <form class="start card" onSubmit={run}>
      <h2><label for="plan">{t('planFile')}</label></h2>
      <p class="muted">{t('planHint')}</p>
      <textarea id="plan" class="code" rows={14} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div role="status">
        {checked?.ok && <p class="good">{t('valid')}</p>}
        {issues.length > 0 && <ul class="issues">{issues.map((one) => <li>{one.line ? `${one.line}: ` : ''}{visible(one.path)} {visible(one.message)} <span class="muted">{visible(one.hint ?? '')}</span></li>)}</ul>}
      </div>
      <label class="pick">{t('files')} <input id="plan-files" type="file" multiple onChange={(event) => setFiles(event.currentTarget.files)} /></label>
      <button disabled={!checked?.ok}>{t('run')}</button>
      {error && <Problem error={error} />}
    </form>
  );
}
