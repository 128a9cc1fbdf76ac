// The lists behind a plan: its tasks, when they ran, what happened.
import {Component} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {Json, call} from './api';
import {nothing, ofPlan, useData} from './data';
import {useSettled} from './lists';
import {Letter, Loading, Problem} from './parts';
import {visible} from './text';
import {clock, commandState, count, duration, letterOf, money, t, wordOf} from './words';

const PAGE = 200;
const FILTERS: [string, string][] = [['', ''], ['r', 'r'], ['hvi', 'h'], ['f', 'f'], ['py', 'p'], ['c', 'c']];

interface TaskPage { tasks: Json[]; total: number; next: number | null; commands: Json[] }

export function TaskList({id, at, until, selected, select}: {id: string; at: number | null; until: string | null; selected: string; select: (id: string) => void}) {
  const [find, setFind] = useState('');
  const [state, setState] = useState('');
  const [most, setMost] = useState(PAGE);
  const text = useSettled(find.trim());
  const page = useData<TaskPage>('tasks', {plan_id: id, limit: most, ...(text ? {text} : {}), ...(state ? {state} : {}), ...(at === null ? {} : {at})},
                                 at === null ? ofPlan(id) : nothing);
  if (page.error) return <Problem error={page.error} />;
  if (!page.value) return <Loading />;
  const {tasks, total, next, commands} = page.value;
  return (
    <div class="list">
      <div class="controls">
        <label class="find"><span class="hidden">{t('searchTasks')}</span><input type="search" placeholder={t('searchTasks')} value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label>
        <label><span class="hidden">{t('state')}</span><select value={state} onChange={(event) => setState(event.currentTarget.value)}>
          {FILTERS.map(([letters, word]) => <option value={letters}>{word ? wordOf(word) : t('all')}</option>)}
        </select></label>
        <span class="muted">{count(total)}</span>
      </div>
      {total > 0 && <table>
        <thead><tr><th>{t('task')}</th><th>{t('agent')}</th><th>{t('state')}</th><th class="n wide">{t('attempts')}</th><th class="n">{t('score')}</th><th class="n">{t('time')}</th><th class="n">{t('cost')}</th></tr></thead>
        <tbody>
          {tasks.map((one) => <TaskRow key={one.task_id} task={one} selected={one.task_id === selected} until={until} select={select} />)}
        </tbody>
      </table>}
      {next !== null && <button class="quiet" onClick={() => setMost(most + PAGE)}>+{Math.min(PAGE, total - tasks.length)}</button>}
      {commands.length > 0 && <CommandList commands={commands} selected={selected} select={select} stages={total > 0 || text !== '' || state !== ''} />}
      {total === 0 && commands.length === 0 && <p class="empty">{t('nothingYet')}</p>}
    </div>
  );
}

interface RowProps { task: Json; selected: boolean; until: string | null; select: (id: string) => void }

// Most rows are the same as a moment ago.
class TaskRow extends Component<RowProps> {
  shouldComponentUpdate(next: RowProps) {
    return next.selected !== this.props.selected || next.until !== this.props.until || (next.task.started_at && !next.task.ended_at)
      || JSON.stringify(next.task) !== JSON.stringify(this.props.task);
  }

  render({task, selected, until, select}: RowProps) {
    return (
      <tr class={selected ? 'selected' : ''}>
        <td><button class="link" onClick={() => select(task.task_id)}>{visible(task.task_id)}</button></td>
        <td>{visible(task.agent)}</td>
        <td><Letter letter={letterOf(task.state)} />{task.error && <span class="trouble"> {visible(task.error.message)}</span>}{task.blocked_by.length > 0 && <span class="muted"> ← {visible(task.blocked_by.slice(0, 5).join(', '))}</span>}{task.reused && <span class="muted"> {t('reused')}</span>}</td>
        <td class="n wide">{task.attempts + task.reworks > 1 ? count(task.attempts + task.reworks) : ''}</td>
        <td class="n">{task.score ?? ''}</td>
        <td class="n">{duration(task.started_at, task.ended_at ?? until)}</td>
        <td class="n">{task.cost_usd ? money(task.cost_usd) : ''}</td>
      </tr>
    );
  }
}

function CommandList({commands, selected, select, stages}: {commands: Json[]; selected: string; select: (id: string) => void; stages: boolean}) {
  return (
    <>
      {stages && <h2>{t('stages')}</h2>}
      <table>
        <thead><tr><th>{t('command')}</th><th>{t('agent')}</th><th>{t('state')}</th><th class="n">{t('score')}</th></tr></thead>
        <tbody>
          {commands.map((one) => (
            <tr key={one.command_id} class={one.command_id === selected ? 'selected' : ''}>
              <td><button class="link" onClick={() => select(one.command_id)}>{visible(one.command_id)}</button></td>
              <td>{visible(one.agent)}</td>
              <td>{commandState(one.state)}{one.waiting_for.length > 0 && <span class="muted"> ← {visible(one.waiting_for.join(', '))}</span>}{one.error && <span class="trouble"> {visible(one.error.message)}</span>}</td>
              <td class="n">{one.score ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export function Timeline({id, at, until, select}: {id: string; at: number | null; until: string | null; select: (id: string) => void}) {
  const [most, setMost] = useState(PAGE);
  const page = useData<TaskPage>('tasks', {plan_id: id, limit: most, order: 'started', ...(at === null ? {} : {at})}, at === null ? ofPlan(id) : nothing);
  if (page.error) return <Problem error={page.error} />;
  if (!page.value) return <Loading />;
  const tasks = page.value.tasks;
  if (!tasks.length) return <p class="empty">{t('nothingYet')}</p>;
  const now = until ? Date.parse(until) : Date.now();
  const endOf = (one: Json) => (one.ended_at ? Date.parse(one.ended_at) : now);
  const from = Math.min(...tasks.map((one) => Date.parse(one.started_at)));
  const to = Math.max(...tasks.map(endOf), from + 1);
  return (
    <div class="list">
      <p class="muted span"><span>{clock(new Date(from).toISOString())}</span><span>{duration(new Date(from).toISOString(), new Date(to).toISOString())}</span><span>{clock(new Date(to).toISOString())}</span></p>
      <ol class="timeline">
        {tasks.map((one) => {
          const begin = Date.parse(one.started_at);
          return (
            <li key={one.task_id}>
              <button class="link" onClick={() => select(one.task_id)}>{visible(one.task_id)}</button>
              <svg viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label={`${wordOf(letterOf(one.state))} ${duration(one.started_at, one.ended_at ?? until)}`}>
                <rect class="rest" x="0" y="5.5" width="1000" height="1" />
                <rect class={'s-' + letterOf(one.state)} x={((begin - from) / (to - from)) * 997} width={Math.max(3, ((endOf(one) - begin) / (to - from)) * 1000)} y="1" height="10" rx="2" />
              </svg>
              <span class="muted n">{duration(one.started_at, one.ended_at ?? until)}</span>
            </li>
          );
        })}
      </ol>
      {page.value.next !== null && <button class="quiet" onClick={() => setMost(most + PAGE)}>+{Math.min(PAGE, page.value.total - tasks.length)}</button>}
    </div>
  );
}

const EVENTS = 200;

// The newest first; older ones are asked for and kept.
export function Events({id, at}: {id: string; at: number | null}) {
  const end = at === null ? {} : {before: at + 1};
  const newest = useData<Json[]>('log', {plan_id: id, tail: EVENTS, words: true, brief: true, ...end}, at === null ? ofPlan(id) : nothing, 500);
  const [older, setOlder] = useState<Json[]>([]);
  const [ended, setEnded] = useState(false);  // there are none before them
  const [error, setError] = useState<Error>();
  const [find, setFind] = useState('');
  useEffect(() => { setOlder([]); setEnded(false); }, [id, at]);
  if (newest.error) return <Problem error={newest.error} />;
  if (!newest.value) return <Loading />;
  const known = new Map<number, Json>();
  // Without an event in common there may be others between them, and the older ones have to be asked for again.
  const joined = older.length > 0 && (newest.value[0]?.seq ?? 0) <= older[older.length - 1].seq;
  for (const one of [...(joined ? older : []), ...newest.value]) known.set(one.seq, one);
  const all = [...known.values()].sort((a, b) => b.seq - a.seq);
  const wanted = find.trim().toLowerCase();
  const shown = all.filter((one) => !wanted || [wordsOf(one), one.type, one.task_id, one.command_id, one.agent_id].join(' ').toLowerCase().includes(wanted));
  const first = all[all.length - 1]?.seq ?? 0;
  const more = () => call('log', {plan_id: id, tail: EVENTS, words: true, brief: true, before: first}).then((events: Json[]) => {
    setOlder([...events, ...[...all].reverse()]);
    setEnded(events.length < EVENTS);
  }, setError);
  return (
    <div class="list">
      <label class="find"><span class="hidden">{t('searchEvents')}</span><input type="search" placeholder={t('searchEvents')} value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label>
      {error && <Problem error={error} />}
      <table class="events">
        <thead><tr><th class="n">#</th><th>{t('time')}</th><th>{t('what')}</th><th>{t('task')}</th><th class="wide">{t('agent')}</th></tr></thead>
        <tbody>{shown.map((one) => (
          <tr key={one.seq} class={one.level === 'error' ? 'trouble' : one.level === 'warning' ? 'warning' : ''}>
            <td class="n">{one.seq}</td><td class="n">{clock(one.time)}</td><td>{visible(wordsOf(one))}</td>
            <td>{visible(one.task_id ?? one.command_id ?? '')}</td><td class="wide">{visible(one.agent_name ?? one.agent_id ?? '')}</td>
          </tr>
        ))}</tbody>
      </table>
      {newest.value.length >= EVENTS && !(joined && ended) && <button class="quiet" onClick={more}>{t('older')}</button>}
    </div>
  );
}

const wordsOf = (event: Json): string => event.words || event.type.replaceAll('_', ' ');
