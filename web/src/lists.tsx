// Plans, agents, dead letters.
import {useEffect, useState} from 'preact/hooks';
import {Json, Refused, change} from './api';
import {Concern, anything, useData} from './data';
import {Badge, Loading, Problem} from './parts';
import {planPath} from './router';
import {Pre, visible} from './text';
import {clock, count, money, planState, t} from './words';

const STATES = ['running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'];
const PAGE = 50;

// A word that is being typed is asked for when the typing pauses.
export function useSettled<T>(value: T, wait = 200): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export interface PlanPage { plans: Json[]; next: string | null }
interface PlanQuery { limit: number; text?: string; state?: string; tag?: string; after?: string }

// A page of the list of plans, the newest first. `next`: where the next page begins.
export function usePlans(query: PlanQuery, concern: Concern, pause?: number): {value?: PlanPage; error?: Refused} {
  const {value, error} = useData<Json[]>('plans', query, concern, pause);
  if (!value) return {error};
  return {value: {plans: value, next: value.length === query.limit ? value[value.length - 1].plan_id : null}, error};
}

export function Plans() {
  const [typed, setTyped] = useState('');
  const [state, setState] = useState('');
  const [tag, setTag] = useState('');
  const [before, setBefore] = useState<string[]>([]);  // where the pages before this one began
  const text = useSettled(typed.trim());
  const after = before[before.length - 1] ?? '';
  useEffect(() => setBefore([]), [text, state, tag]);
  const page = usePlans({limit: PAGE, ...(text ? {text} : {}), ...(state ? {state} : {}), ...(tag ? {tag} : {}), ...(after ? {after} : {})}, anything);
  const rows = page.value?.plans ?? [];
  return (
    <section class="main">
      <div class="controls">
        <h1>{t('plans')}</h1>
        <label class="grow"><span class="hidden">{t('search')}</span><input type="search" placeholder={t('search')} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
        <label><span class="hidden">{t('state')}</span><select value={state} onChange={(event) => setState(event.currentTarget.value)}>
          <option value="">{t('all')}</option>{STATES.map((one) => <option value={one}>{planState(one)}</option>)}
        </select></label>
        {tag && <button class="quiet" title={t('anyTag')} onClick={() => setTag('')}>{visible(tag)} ×</button>}
        <a class="button changes" href="#/start">{t('start')}</a>
      </div>
      {page.error && <Problem error={page.error} />}
      {!page.value && !page.error && <Loading />}
      {page.value && rows.length === 0 && <p class="empty">{text || state || tag ? t('noneFound') : t('noPlans')}</p>}
      {rows.length > 0 && (
        <table class="plans">
          <thead><tr><th>{t('plan')}</th><th>{t('state')}</th><th class="n">{t('done')}</th><th class="n wide">{t('cost')}</th><th class="n">{t('updated')}</th></tr></thead>
          <tbody>{rows.map((one) => (
            <tr key={one.plan_id}>
              <td><a href={planPath(one.plan_id)}>{visible(one.goal || one.plan_id)}</a>{one.goal && <span class="muted sub">{one.plan_id}</span>}
                {(one.tags ?? []).map((word: string) => <button class="quiet chip" key={word} onClick={() => setTag(word)}>{visible(word)}</button>)}</td>
              <td><Badge state={one.state} />{one.questions > 0 && <span class="count">{one.questions}</span>}</td>
              <td class="n"><meter min={0} max={one.tasks_total || 1} value={one.tasks_completed} aria-label={t('done')} /> {count(one.tasks_completed)} / {count(one.tasks_total)}</td>
              <td class="n wide">{one.cost_usd === undefined ? '' : money(one.cost_usd)}</td>
              <td class="n">{clock(one.updated_at)}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
      {(before.length > 0 || page.value?.next) && (
        <nav class="pages" aria-label={t('pages')}>
          <button class="quiet" disabled={before.length === 0} onClick={() => setBefore(before.slice(0, -1))}>{t('newer')}</button>
          <span class="muted">{count(before.length + 1)}</span>
          <button class="quiet" disabled={!page.value?.next} onClick={() => setBefore([...before, page.value!.next!])}>{t('older')}</button>
        </nav>
      )}
    </section>
  );
}

export function Agents() {
  const agents = useData<Json[]>('agents', {work: true}, anything);
  return (
    <section class="main">
      <h1>{t('agents')}</h1>
      {agents.error && <Problem error={agents.error} />}
      {!agents.value && !agents.error && <Loading />}
      {agents.value?.length === 0 && <p class="empty">{t('noAgents')}</p>}
      {(agents.value ?? []).length > 0 && <table>
        <thead><tr><th>{t('agent')}</th><th>{t('state')}</th><th>{t('running')}</th><th class="n">{t('waiting')}</th><th class="wide">{t('capabilities')}</th></tr></thead>
        <tbody>{agents.value!.map((one) => (
          <tr key={one.agent_id}>
            <td>{visible(one.name)}<span class="muted sub">agents/{one.agent_id}/</span></td>
            <td><AgentBadge state={one.state} /></td>
            <td>{(one.now ?? []).map((work: Json) => (
              <a class="chip" href={planPath(work.plan_id, 'graph', work.task_id ?? work.command_id)}>{visible(work.task_id ?? work.command_id)} <span class="muted">{visible(work.plan_id)}</span></a>
            ))}{one.running > (one.now ?? []).length && <span class="muted"> +{count(one.running - one.now.length)}</span>}</td>
            <td class="n">{count(one.waiting)}</td>
            <td class="wide">{visible((one.capabilities ?? []).join(', '))}</td>
          </tr>
        ))}</tbody>
      </table>}
    </section>
  );
}

function AgentBadge({state}: {state: string}) {
  const letter = ({running: 'r', waiting: 'i', idle: 'p', undeclared: 'f'} as Record<string, string>)[state] ?? 'p';
  const symbol = ({running: '▶', waiting: '…', idle: '·', undeclared: '!'} as Record<string, string>)[state] ?? '·';
  const word = ({running: t('agentRuns'), waiting: t('agentWaits'), idle: t('agentIdle'), undeclared: t('agentUndeclared')} as Record<string, string>)[state] ?? state;
  return <span class={'badge s-' + letter}><span aria-hidden="true">{symbol}</span> {word}</span>;
}

export function Letters() {
  const letters = useData<Json[]>('dead/list', {}, anything, 1000);
  const [error, setError] = useState<Error>();
  const act = (method: string, id: string) => { setError(undefined); change(method, {id}).then(letters.reload, setError); };
  return (
    <section class="main">
      <h1>{t('letters')}</h1>
      <p class="muted">{t('lettersHint')}</p>
      {letters.error && <Problem error={letters.error} />}
      {error && <Problem error={error} />}
      {letters.value?.length === 0 && <p class="empty">{t('noLetters')}</p>}
      {(letters.value ?? []).map((one) => (
        <article class="card" key={one.id} aria-labelledby={'letter-' + one.id}>
          <h2 id={'letter-' + one.id}>{visible(one.file)} <span class="muted">{clock(one.at)} {one.plan_id && <a href={planPath(one.plan_id)}>{one.plan_id}</a>}</span></h2>
          <p class="trouble">{visible(one.message)}</p>
          <LetterContent id={one.id} />
          <div class="buttons changes">
            <button class="quiet" onClick={() => act('dead/retry', one.id)}>{t('takeAgain')}</button>
            <button class="quiet" onClick={() => act('dead/drop', one.id)}>{t('drop')}</button>
          </div>
        </article>
      ))}
    </section>
  );
}

function LetterContent({id}: {id: string}) {
  const [open, setOpen] = useState(false);
  const letter = useData<Json>(open ? 'dead/show' : null, {id}, () => false);
  const content = letter.value?.content;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('content')}</summary>
      {letter.error && <Problem error={letter.error} />}
      {letter.value?.hint && <p class="muted">{visible(letter.value.hint)}</p>}
      {letter.value && <Pre text={typeof content === 'string' ? content : JSON.stringify(content ?? letter.value.errors ?? '', null, 2)} />}
    </details>
  );
}
