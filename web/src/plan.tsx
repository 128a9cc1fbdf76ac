// One plan: how far it is, what happens now, what waits for a person, what it cost, what went wrong; and everything behind it.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {Json, change, call} from './api';
import {useData} from './data';
import {Graph, GraphView} from './graph';
import {QuestionCard} from './questions';
import {TaskPanel} from './task';
import {go} from './router';
import {visible} from './text';
import {Problem, Badge, Letter} from './parts';
import {clock, count, duration, letterOf, money, planState, t, wordOf} from './words';

type Tab = 'graph' | 'tasks' | 'timeline' | 'events' | 'compare';

export function PlanView({id, tab, task}: {id: string; tab: Tab; task: string}) {
  const [at, setAt] = useState<number | null>(null);  // the plan as it was; null: now
  const status = useData<Json>('status', {plan_id: id}, id);
  const live = useData<Json>('graph/states', {plan_id: id}, id);
  const past = useData<Json>(at === null ? null : 'replay', {plan_id: id, at: at ?? 0}, id);
  const revision = live.value?.revision ?? 0;
  const graph = useData<Graph>(revision > 0 ? 'graph' : null, {plan_id: id, revision});
  const questions = useData<Json[]>('questions', {plan_id: id}, id);
  const now = at === null ? status.value : past.value;
  const states = useMemo(() => {
    if (at === null || !graph.value) return live.value?.states ?? '';
    const by = new Map<string, string>((past.value?.tasks ?? []).map((one: Json) => [one.task_id, letterOf(one.state)]));
    return graph.value.tasks.map((one) => by.get(one[0]) ?? 'p').join('');
  }, [at, graph.value, live.value, past.value]);

  if (status.error) return <Problem error={status.error} />;
  if (!status.value) return <p class="muted">{t('loading')}</p>;
  const mine = (questions.value ?? []).filter((one) => one.plan_id === id && one.kind !== 'alert');
  const select = (next: string) => go({plan: id, tab, task: next});
  const hasGraph = (graph.value?.tasks.length ?? 0) > 0;
  return (
    <div class={'plan' + (task ? ' with-panel' : '')}>
      <section class="main">
        <Summary status={now ?? status.value} states={states} questions={mine.length} />
        <Controls id={id} state={status.value.state} />
        {mine.map((question) => <QuestionCard key={question.id} question={question} />)}
        <nav class="tabs" aria-label={id}>
          {(['graph', 'tasks', 'timeline', 'events', 'compare'] as Tab[]).map((one) => (
            <a href={'#/plan/' + id + '/' + one} aria-current={one === tab ? 'page' : undefined}>{t(one)}</a>
          ))}
        </nav>
        {tab === 'graph' && (hasGraph ? <GraphView graph={graph.value!} states={states} selected={task} select={select} />
          : revision > 0 && !graph.value ? <p class="muted">{t('loading')}</p> : <CommandList status={now ?? status.value} select={select} />)}
        {tab === 'tasks' && <TaskList status={now ?? status.value} selected={task} select={select} />}
        {tab === 'timeline' && <Timeline status={now ?? status.value} select={select} />}
        {tab === 'events' && <Events id={id} />}
        {tab === 'compare' && <Compare id={id} />}
        <TimeSlider id={id} at={at} setAt={setAt} last={live.value?.last_event ?? 0} />
      </section>
      {task && <TaskPanel plan={id} task={task} close={() => select('')} />}
    </div>
  );
}

function Summary({status, states, questions}: {status: Json; states: string; questions: number}) {
  const total = status.tasks.length || status.commands.length;
  const tally = (letters: string) => [...states].filter((letter) => letters.includes(letter)).length;
  const done = status.tasks.length ? tally('c') : status.commands.filter((one: Json) => one.state === 'succeeded').length;
  const failed = status.tasks.length ? tally('f') : status.commands.filter((one: Json) => ['failed', 'timed_out'].includes(one.state)).length;
  const running = status.tasks.filter((one: Json) => one.state === 'RUNNING');
  const tokens = status.tokens.input + status.tokens.output;
  return (
    <header class="summary">
      <h1>{visible(status.goal || status.plan_id)}</h1>
      <p class="muted">{status.plan_id}{status.forked_from ? ` ← ${status.forked_from.plan_id ?? ''}` : ''}</p>
      <dl class="facts">
        <div><dt>{t('state')}</dt><dd><Badge state={status.state} /></dd></div>
        <div><dt>{t('done')}</dt><dd><progress max={total || 1} value={done} aria-label={t('done')} /> {count(done)} / {count(total)}</dd></div>
        <div><dt>{t('running')}</dt><dd>{running.length ? running.slice(0, 3).map((one: Json) => one.task_id).join(', ') + (running.length > 3 ? ` +${running.length - 3}` : '') : '–'}</dd></div>
        <div class={questions ? 'attention' : ''}><dt>{t('waitsForYou')}</dt><dd>{count(questions)}</dd></div>
        <div class={failed ? 'trouble' : ''}><dt>{t('failed')}</dt><dd>{count(failed)}</dd></div>
        <div><dt>{t('cost')}</dt><dd>{money(status.cost_usd)} · {count(tokens)} {t('tokens')}</dd></div>
      </dl>
      {status.failure && <p class="trouble" role="status">{visible(status.failure)}</p>}
      {status.deliverables?.length > 0 && (
        <p>{t('deliverables')}: {status.deliverables.map((path: string) => {
          const name = path.split('/').pop()!;
          return <a class="file" href={'/v1/file?plan=' + encodeURIComponent(status.plan_id) + '&name=' + encodeURIComponent(name)} download={name}>{visible(name)}</a>;
        })}</p>
      )}
    </header>
  );
}

function Controls({id, state}: {id: string; state: string}) {
  const [text, setText] = useState('');
  const [told, setTold] = useState('');
  const [error, setError] = useState<Error>();
  const act = async (method: string, parameters: object, said: string) => {
    setError(undefined);
    setTold('');
    try {
      await change(method, {plan_id: id, ...parameters});
      setTold(said);
      return true;
    } catch (failure) {
      setError(failure as Error);
      return false;
    }
  };
  const ended = ['completed', 'failed', 'cancelled'].includes(state);
  return (
    <div class="controls">
      <form onSubmit={async (event) => { event.preventDefault(); if (text.trim() && await act('say', {text}, t('sent'))) setText(''); }}>
        <label class="grow"><span class="hidden">{t('say')}</span>
          <input value={text} placeholder={t('say')} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <button disabled={!text.trim()}>{t('send')}</button>
      </form>
      {!ended && state !== 'paused' && <button class="quiet" onClick={() => act('pause', {}, planState('paused'))}>{t('pause')}</button>}
      {state === 'paused' && <button class="quiet" onClick={() => act('resume', {}, planState('running'))}>{t('resume')}</button>}
      {!ended && <button class="quiet" onClick={() => confirm(t('confirmCancel')) && act('cancel', {}, planState('cancelled'))}>{t('cancel')}</button>}
      <span role="status" class="told">{told}</span>
      {error && <Problem error={error} />}
    </div>
  );
}

const PAGE = 200;

function TaskList({status, selected, select}: {status: Json; selected: string; select: (id: string) => void}) {
  const [find, setFind] = useState('');
  const [most, setMost] = useState(PAGE);
  const tasks = status.tasks.filter((one: Json) => (one.task_id + ' ' + one.agent).toLowerCase().includes(find.toLowerCase()));
  if (!status.tasks.length) return <CommandList status={status} select={select} />;
  return (
    <>
      <label class="find"><span class="hidden">{t('searchTasks')}</span><input type="search" placeholder={t('searchTasks')} value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label>
      <table>
        <thead><tr><th>{t('task')}</th><th>{t('agent')}</th><th>{t('state')}</th><th class="n">{t('score')}</th><th class="n">{t('time')}</th><th class="n">{t('cost')}</th></tr></thead>
        <tbody>
          {tasks.slice(0, most).map((one: Json) => (
            <tr key={one.task_id} class={one.task_id === selected ? 'selected' : ''}>
              <td><button class="link" onClick={() => select(one.task_id)}>{visible(one.task_id)}</button></td>
              <td>{visible(one.agent)}</td>
              <td><Letter letter={letterOf(one.state)} />{one.error && <span class="trouble"> {visible(one.error.message)}</span>}{one.blocked_by.length > 0 && <span class="muted"> {visible(one.blocked_by.join(', '))}</span>}</td>
              <td class="n">{one.score ?? ''}</td>
              <td class="n">{duration(one.started_at, one.ended_at)}</td>
              <td class="n">{one.cost_usd ? money(one.cost_usd) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tasks.length > most && <button class="quiet" onClick={() => setMost(most + PAGE)}>+{Math.min(PAGE, tasks.length - most)} / {count(tasks.length)}</button>}
    </>
  );
}

function CommandList({status, select}: {status: Json; select: (id: string) => void}) {
  if (!status.commands.length) return <p class="muted">{t('nothingYet')}</p>;
  return (
    <table>
      <thead><tr><th>{t('commands')}</th><th>{t('agent')}</th><th>{t('state')}</th><th class="n">{t('score')}</th></tr></thead>
      <tbody>
        {status.commands.slice(0, 1000).map((one: Json) => (
          <tr key={one.command_id}>
            <td><button class="link" onClick={() => select(one.command_id)}>{visible(one.command_id)}</button></td>
            <td>{visible(one.agent)}</td><td>{one.state}</td><td class="n">{one.score ?? ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Timeline({status, select}: {status: Json; select: (id: string) => void}) {
  const tasks = status.tasks.filter((one: Json) => one.started_at).slice(0, 500);
  if (!tasks.length) return <p class="muted">{t('nothingYet')}</p>;
  const from = Math.min(...tasks.map((one: Json) => Date.parse(one.started_at)));
  const to = Math.max(...tasks.map((one: Json) => (one.ended_at ? Date.parse(one.ended_at) : Date.now())), from + 1);
  return (
    <ol class="timeline">
      {tasks.map((one: Json) => {
        const begin = Date.parse(one.started_at), end = one.ended_at ? Date.parse(one.ended_at) : Date.now();
        return (
          <li key={one.task_id}>
            <button class="link" onClick={() => select(one.task_id)}>{visible(one.task_id)}</button>
            <svg viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label={`${wordOf(letterOf(one.state))} ${duration(one.started_at, one.ended_at)}`}>
              <rect class={'s-' + letterOf(one.state)} x={((begin - from) / (to - from)) * 1000} width={Math.max(3, ((end - begin) / (to - from)) * 1000)} y="1" height="10" rx="2" />
            </svg>
            <span class="muted">{duration(one.started_at, one.ended_at)}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Events({id}: {id: string}) {
  const [pages, setPages] = useState<Json[][]>([]);
  const after = pages.length ? pages[pages.length - 1][pages[pages.length - 1].length - 1].seq : 0;
  const next = useData<Json[]>('log', {plan_id: id, after, limit: 500}, id);
  const shown = [...pages.flat(), ...(next.value ?? [])];
  useEffect(() => setPages([]), [id]);
  return (
    <>
      <table class="events">
        <thead><tr><th class="n">#</th><th>{t('time')}</th><th>{t('what')}</th><th>{t('task')}</th><th>{t('agent')}</th></tr></thead>
        <tbody>{shown.map((one) => (
          <tr key={one.seq} class={one.level === 'error' ? 'trouble' : ''}>
            <td class="n">{one.seq}</td><td>{clock(one.time)}</td><td>{visible(one.text ?? one.type.replaceAll('_', ' '))}</td>
            <td>{visible(one.task_id ?? one.command_id ?? '')}</td><td>{visible(one.agent_id ?? '')}</td>
          </tr>
        ))}</tbody>
      </table>
      {(next.value?.length ?? 0) >= 500 && <button class="quiet" onClick={() => setPages([...pages, next.value!])}>+500</button>}
    </>
  );
}

function Compare({id}: {id: string}) {
  const plans = useData<Json>('plans', {limit: 200});
  const [other, setOther] = useState('');
  const diff = useData<Json>(other ? 'diff' : null, {a: id, b: other});
  const rows: Json[] = Array.isArray(plans.value) ? plans.value : plans.value?.plans ?? [];
  return (
    <>
      <label>{t('compare')}: <select value={other} onChange={(event) => setOther(event.currentTarget.value)}>
        <option value="">–</option>
        {rows.filter((one) => one.plan_id !== id).map((one) => <option value={one.plan_id}>{one.plan_id}</option>)}
      </select></label>
      {diff.error && <Problem error={diff.error} />}
      {diff.value && (
        <table>
          <thead><tr><th>{t('task')}</th><th>{id}</th><th>{other}</th><th>{t('diff')}</th></tr></thead>
          <tbody>{diff.value.tasks.map((one: Json) => (
            <tr key={one.task_id} class={one.same ? 'muted' : ''}>
              <td>{visible(one.task_id)}</td><td>{one.a?.state ?? '–'} {one.a?.score ?? ''}</td><td>{one.b?.state ?? '–'} {one.b?.score ?? ''}</td>
              <td>{visible([...(one.changed ?? []), ...(one.outputs ?? []).filter((o: Json) => !o.same).map((o: Json) => o.name)].join(', '))}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </>
  );
}

// From the first event to the last; dragged, the plan is shown as it was.
function TimeSlider({id, at, setAt, last}: {id: string; at: number | null; setAt: (at: number | null) => void; last: number}) {
  const [first, setFirst] = useState(1);
  useEffect(() => {
    call('log', {plan_id: id, after: 0, limit: 1}).then((events) => setFirst(events[0]?.seq ?? 1)).catch(() => {});
  }, [id]);
  return (
    <div class="slider">
      <label for="time">{at === null ? t('live') : `${t('past')} ${at}`}</label>
      <input id="time" type="range" min={first} max={Math.max(first, last)} value={at ?? last}
             onInput={(event) => { const value = Number(event.currentTarget.value); setAt(value >= last ? null : value); }} />
      {at !== null && <button class="quiet" onClick={() => setAt(null)}>{t('backToLive')}</button>}
    </div>
  );
}
