// One plan: how far it is, what happens now, what waits for a person, what it cost, what went wrong; and everything behind it.
import {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {Json, call, change, fileUrl} from './api';
import {Attempts} from './attempts';
import {Compare} from './compare';
import {nothing, ofPlan, questions as asks, useData} from './data';
import {Graph, GraphView} from './graph';
import {Badge, Loading, Problem, StateBar, SureButton} from './parts';
import {Events, TaskList, Timeline} from './plan_tabs';
import {QuestionCard} from './questions';
import {go, planPath} from './router';
import {Shares} from './spending';
import {TaskPanel} from './task';
import {visible} from './text';
import {Word, clock, count, duration, money, phaseWord, planState, t, useTick} from './words';

const TABS: [string, Word][] = [
  ['graph', 'graph'], ['tasks', 'tasks'], ['timeline', 'timeline'], ['events', 'events'], ['spending', 'spending'], ['compare', 'compare'],
];

export function PlanView({id, tab, task}: {id: string; tab: string; task: string}) {
  const [at, setAt] = useState<number | null>(null);  // the plan as it was; null: now
  const live = useData<Json>('summary', {plan_id: id}, ofPlan(id));
  const past = useData<Json>(at === null ? null : 'summary', {plan_id: id, at: at ?? 0}, nothing);
  const now = at === null ? live.value : past.value ?? live.value;
  // Asked for together with the summary; again when there is another revision, and for a past that had another one.
  const [wanted, setWanted] = useState(0);
  const current = useData<Graph>('graph', {plan_id: id, revision: wanted}, nothing);
  useEffect(() => {
    if (current.value && live.value && current.value.revision !== live.value.revision) setWanted(live.value.revision);
  }, [current.value, live.value]);
  const other = at !== null && past.value && past.value.revision !== live.value?.revision;
  const former = useData<Graph>(other ? 'graph' : null, {plan_id: id, at: at ?? 0, revision: past.value?.revision}, nothing);
  const graph = other ? former.value : current.value;
  const open = useData<Json[]>('questions', {plan_id: id}, asks);

  if (live.error) return <Problem error={live.error} />;
  if (!live.value) return <Loading />;
  const mine = (open.value ?? []).filter((one) => one.plan_id === id && one.kind !== 'alert');
  const select = (next: string) => go({plan: id, tab: tab === 'compare' || tab === 'attempts' ? 'graph' : tab, task: next});
  const fits = graph && graph.tasks.length > 0 && graph.revision === now.revision && graph.tasks.length === now.states.length;
  const until: string | null = at === null ? null : past.value?.at?.time ?? null;  // durations end there
  const panel = task && tab !== 'compare' && tab !== 'attempts';
  return (
    <div class={'plan' + (panel ? ' with-panel' : '')}>
      <section class={'main' + (at === null ? '' : ' as-it-was')}>
        <Summary plan={now} questions={mine.length} select={select}><Controls id={id} state={live.value.state} /></Summary>
        <Remarks remarks={now.remarks} />
        {at === null && <div id="questions-here">{mine.map((question) => <QuestionCard key={question.id} question={question} folded={tab !== 'graph' && tab !== 'tasks'} />)}</div>}
        <div class="tabs-row">
        <nav class="tabs" aria-label={id}>
          {TABS.map(([one, word]) => <a href={planPath(id, one)} aria-current={one === tab ? 'page' : undefined}>{t(word)}</a>)}
          {tab === 'attempts' && <a href={planPath(id, tab, task)} aria-current="page">{t('attempts')}</a>}
        </nav>
        <TimeSlider id={id} at={at} setAt={setAt} last={live.value.last_event} shown={past.value?.at} />
        </div>
        {tab === 'graph' && (fits ? <GraphView graph={graph} states={now.states} selected={task} select={select} />
          : now.revision > 0 ? <Loading /> : <TaskList id={id} at={at} until={until} selected={task} select={select} />)}
        {tab === 'tasks' && <TaskList id={id} at={at} until={until} selected={task} select={select} />}
        {tab === 'timeline' && <Timeline id={id} at={at} until={until} select={select} />}
        {tab === 'events' && <Events id={id} at={at === null ? null : past.value?.at?.seq ?? at} />}
        {tab === 'spending' && <Shares shares={now.shares} />}
        {tab === 'compare' && <Compare id={id} other={task || now.forked_from?.plan_id || ''} />}
        {tab === 'attempts' && <Attempts plan={id} task={task} />}
      </section>
      {panel && <TaskPanel key={task} plan={id} task={task} close={() => select('')} />}
    </div>
  );
}

function Summary({plan, questions, select, children}: {plan: Json; questions: number; select: (task: string) => void; children: ComponentChildren}) {
  const runs = plan.state === 'running' && !plan.at;
  useTick(runs);
  const ended = ['completed', 'failed', 'cancelled'].includes(plan.state);
  return (
    <header class="summary">
      <div class="head"><div class="grow">
      <h1>{visible(plan.goal || plan.plan_id)}</h1>
      <p class="muted about">
        <Badge state={plan.state} />{plan.phase && !ended && <span>{phaseWord(plan.phase)}</span>}
        <span>{plan.plan_id}</span>
        {plan.started_at && <span>{clock(plan.started_at)} · {duration(plan.started_at, runs ? null : plan.at?.time ?? plan.updated_at)}</span>}
        {plan.forked_from && <a href={planPath(plan.plan_id, 'compare', plan.forked_from.plan_id)}>{t('forkOf')} {plan.forked_from.plan_id}</a>}
      </p>
      </div>{children}</div>
      <dl class="facts">
        <div><dt>{t('done')}</dt><dd><strong>{count(plan.done)}</strong> / {count(plan.total)}<StateBar states={plan.states} /></dd></div>
        <div class="now"><dt>{t('running')}</dt><dd>{plan.running.length === 0 ? '–' : (
          <ul>{plan.running.slice(0, 2).map((one: Json) => (
            <li key={one.task_id}><button class="link" onClick={() => select(one.task_id)}>{visible(one.task_id)}</button> <span class="muted">{visible(one.agent)}{one.since && ' · ' + duration(one.since, plan.at?.time)}</span></li>
          ))}{plan.running_total > 2 && <li class="muted">+{count(plan.running_total - 2)}</li>}</ul>
        )}</dd></div>
        <div class={'asked' + (questions ? ' attention' : '')}><dt>{t('waitsForYou')}</dt><dd><strong>{count(questions)}</strong>{plan.dead_letters > 0 && <a class="sub" href="#/letters">{t('letters')}: {count(plan.dead_letters)}</a>}</dd></div>
        <div class={'wrong' + (plan.failed_total || plan.failure ? ' trouble' : '')}><dt>{t('failed')}</dt><dd>
          <strong>{count(plan.failed_total)}</strong>
          {plan.failed.slice(0, 1).map((one: Json) => <div class="why"><button class="link" onClick={() => select(one.task_id)}>{visible(one.task_id)}</button> {visible(one.message)}</div>)}
        </dd></div>
        <div class="spent"><dt>{t('cost')}</dt><dd><strong>{money(plan.cost_usd)}</strong><span class="muted sub">{count(plan.tokens)} {t('tokens')}</span></dd></div>
      </dl>
      {plan.failure && <p class="problem" role="status">{visible(plan.failure)}</p>}
      {plan.deliverables.length > 0 && (
        <p class="made">{t('deliverables')}: {plan.deliverables.map((file: Json) => (
          <a class="chip" href={fileUrl(plan.plan_id, file.name, file.sha256)} download={file.name.split('/').pop()}>↓ {visible(file.name)}</a>
        ))}</p>
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
  const say = async (event: Event) => {
    event.preventDefault();
    if (text.trim() && await act('say', {text}, t('sent'))) setText('');
  };
  const ended = ['completed', 'failed', 'cancelled'].includes(state);
  return (
    <div class="controls changes">
      <form onSubmit={say}>
        <label class="grow"><span class="hidden">{t('say')}</span>
          <input id="say" value={text} placeholder={t('say')} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <button class="quiet" disabled={!text.trim()}>{t('send')}</button>
      </form>
      {!ended && state !== 'paused' && <button class="quiet" onClick={() => act('pause', {}, planState('paused'))}>{t('pause')}</button>}
      {state === 'paused' && <button onClick={() => act('resume', {}, planState('running'))}>{t('resume')}</button>}
      {!ended && <SureButton label={t('cancel')} sure={t('confirmCancel')} act={() => act('cancel', {}, planState('cancelled'))} />}
      <span role="status" class="told">{told}</span>
      {error && <Problem error={error} />}
    </div>
  );
}

// What became of what was said.
function Remarks({remarks}: {remarks: Json[]}) {
  if (!remarks.length) return null;
  return (
    <ul class="remarks" aria-label={t('remarks')}>{remarks.map((one) => (
      <li key={one.remark}><span class="muted">{t(one.state === 'done' ? 'remarkDone' : one.state === 'open' ? 'remarkOpen' : 'remarkDropped')}</span> {visible(one.outcome)}{one.new_plan && <> <a href={planPath(one.new_plan)}>{one.new_plan}</a></>}</li>
    ))}</ul>
  );
}

// From the first event to the last; dragged, the plan is shown as it was.
function TimeSlider({id, at, setAt, last, shown}: {id: string; at: number | null; setAt: (at: number | null) => void; last: number; shown?: Json}) {
  const [first, setFirst] = useState(1);
  useEffect(() => {
    call('log', {plan_id: id, after: 0, limit: 1}).then((events) => setFirst(events[0]?.seq ?? 1)).catch(() => {});
  }, [id]);
  return (
    <div class="slider">
      <label for="time">{at === null ? t('live') : `${t('past')} ${shown?.seq ?? at}`}{at !== null && shown && <span class="muted"> {clock(shown.time)}</span>}</label>
      <input id="time" type="range" min={first} max={Math.max(first, last)} value={at ?? last}
             onInput={(event) => { const value = Number(event.currentTarget.value); setAt(value >= last ? null : value); }} />
      <button class="quiet" disabled={at === null} onClick={() => setAt(null)}>{t('backToLive')}</button>
    </div>
  );
}
