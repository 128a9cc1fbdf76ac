// Plans, agents, dead letters, spending.
import {useState} from 'preact/hooks';
import {Json, change} from './api';
import {useData} from './data';
import {Badge, Problem} from './parts';
import {visible} from './text';
import {clock, count, money, planState, t} from './words';

const STATES = ['running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'];
const PAGE = 50;

export function Plans() {
  const [text, setText] = useState('');
  const [state, setState] = useState('');
  const [most, setMost] = useState(PAGE);
  const plans = useData<Json>('plans', {limit: most, ...(text ? {text} : {}), ...(state ? {state} : {})});
  if (plans.error) return <Problem error={plans.error} />;
  const rows: Json[] = (Array.isArray(plans.value) ? plans.value : plans.value?.plans) ?? [];
  // A server that does not filter by itself gives all of them.
  const shown = rows
    .filter((one) => (!state || one.state === state) && (one.plan_id + ' ' + (one.goal ?? '')).toLowerCase().includes(text.toLowerCase()))
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  return (
    <section class="main">
      <h1>{t('plans')}</h1>
      <div class="controls">
        <label class="grow"><span class="hidden">{t('search')}</span><input type="search" placeholder={t('search')} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <label><span class="hidden">{t('state')}</span><select value={state} onChange={(event) => setState(event.currentTarget.value)}>
          <option value="">{t('all')}</option>{STATES.map((one) => <option value={one}>{planState(one)}</option>)}
        </select></label>
      </div>
      {plans.value && shown.length === 0 && <p class="muted">{t('noPlans')}</p>}
      {shown.length > 0 && (
        <table>
          <thead><tr><th>{t('plan')}</th><th>{t('state')}</th><th class="n">{t('done')}</th><th>{t('updated')}</th></tr></thead>
          <tbody>{shown.slice(0, most).map((one) => (
            <tr key={one.plan_id}>
              <td><a href={'#/plan/' + one.plan_id}>{visible(one.goal || one.plan_id)}</a>{one.goal && <span class="muted"> {one.plan_id}</span>}</td>
              <td><Badge state={one.state} /></td>
              <td class="n">{count(one.tasks_completed)} / {count(one.tasks_total)}</td>
              <td>{clock(one.updated_at)}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
      {rows.length >= most && <button class="quiet" onClick={() => setMost(most + PAGE)}>+{PAGE}</button>}
    </section>
  );
}

export function Agents() {
  const agents = useData<Json[]>('agents', {});
  if (agents.error) return <Problem error={agents.error} />;
  return (
    <section class="main">
      <h1>{t('agents')}</h1>
      {agents.value?.length === 0 && <p class="muted">{t('noAgents')}</p>}
      <table>
        <thead><tr><th>{t('agent')}</th><th>{t('state')}</th><th class="n">{t('running')}</th><th class="n">{t('waiting')}</th><th>{t('capabilities')}</th></tr></thead>
        <tbody>{(agents.value ?? []).map((one) => (
          <tr key={one.agent_id}><td>{visible(one.name)} <span class="muted">agents/{one.agent_id}/</span></td><td>{one.state}</td>
            <td class="n">{one.running}</td><td class="n">{one.waiting}</td><td>{visible((one.capabilities ?? []).join(', '))}</td></tr>
        ))}</tbody>
      </table>
    </section>
  );
}

export function Letters() {
  const letters = useData<Json[]>('dead/list', {});
  const [error, setError] = useState<Error>();
  if (letters.error) return <Problem error={letters.error} />;
  return (
    <section class="main">
      <h1>{t('letters')}</h1>
      {error && <Problem error={error} />}
      {letters.value?.length === 0 && <p class="muted">{t('noLetters')}</p>}
      {(letters.value ?? []).length > 0 && (
        <table>
          <thead><tr><th>{t('plan')}</th><th>{t('files')}</th><th>{t('message')}</th><th>{t('time')}</th><th><span class="hidden">{t('retry')}</span></th></tr></thead>
          <tbody>{letters.value!.map((one) => (
            <tr key={one.id}>
              <td>{one.plan_id && <a href={'#/plan/' + one.plan_id}>{one.plan_id}</a>}</td><td>{visible(one.file)}</td><td>{visible(one.message)}</td><td>{clock(one.at)}</td>
              <td class="buttons"><button class="quiet" onClick={() => change('dead/retry', {id: one.id}).then(letters.reload, setError)}>{t('retry')}</button>
                <button class="quiet" onClick={() => change('dead/drop', {id: one.id}).then(letters.reload, setError)}>{t('drop')}</button></td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </section>
  );
}

export function Spending() {
  const spent = useData<Json>('spending', {});
  if (spent.error) return <Problem error={spent.error} />;
  const table = (title: string, rows: Json[], key: string) => rows.length > 0 && (
    <>
      <h2>{title}</h2>
      <table>
        <thead><tr><th>{title}</th><th class="n">{t('tokens')}</th><th class="n">{t('cost')}</th></tr></thead>
        <tbody>{[...rows].sort((a, b) => b.cost_usd - a.cost_usd || b.tokens - a.tokens).map((one) => (
          <tr key={one[key]}><td>{visible(one[key])}</td><td class="n">{count(one.tokens)}</td><td class="n">{money(one.cost_usd)}</td></tr>
        ))}</tbody>
      </table>
    </>
  );
  return (
    <section class="main">
      <h1>{t('spending')}</h1>
      {spent.value && !spent.value.plans.length && <p class="muted">{t('nothingYet')}</p>}
      {spent.value && table(t('plans'), spent.value.plans, 'plan_id')}
      {spent.value && table(t('agents'), spent.value.agents ?? [], 'agent_id')}
      {spent.value && table('Model', spent.value.models ?? [], 'model')}
    </section>
  );
}
