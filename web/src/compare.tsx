// Two plans side by side: what is different, task by task, and the lines of what they made.
import {useState} from 'preact/hooks';
import {Json, textOf} from './api';
import {nothing, ofPlan, useData} from './data';
import {usePlans} from './lists';
import {Badge, Problem} from './parts';
import {go, planPath} from './router';
import {Diff, visible} from './text';
import {count, money, t, wordOf, letterOf} from './words';

export function Compare({id, other}: {id: string; other: string}) {
  const plans = usePlans({limit: 200}, nothing);
  const [all, setAll] = useState(false);
  const concern = other ? (frame: any) => ofPlan(id)(frame) || ofPlan(other)(frame) : nothing;
  const diff = useData<Json>(other ? 'diff' : null, {a: other, b: id}, concern, 1000);
  const rows = (plans.value?.plans ?? []).map((one) => one.plan_id as string);
  const names = other && !rows.includes(other) ? [other, ...rows] : rows;
  const tasks: Json[] = diff.value?.tasks ?? [];
  const shown = all ? tasks : tasks.filter((one) => !one.same);
  return (
    <div class="list">
      <div class="controls">
        <label>{t('compareWith')} <select id="other-plan" value={other} onChange={(event) => go({plan: id, tab: 'compare', task: event.currentTarget.value})}>
          <option value="">–</option>
          {names.filter((one) => one !== id).map((one) => <option value={one}>{one}</option>)}
        </select></label>
        {diff.value && <label><input type="checkbox" checked={all} onChange={() => setAll(!all)} /> {t('showSame')} ({count(tasks.filter((one) => one.same).length)})</label>}
      </div>
      {diff.error && <Problem error={diff.error} />}
      {diff.value && (
        <table class="compare">
          <thead><tr><th>{t('task')}</th><Head plan={other} side={diff.value.a} /><Head plan={id} side={diff.value.b} /></tr></thead>
          <tbody>
            {shown.length === 0 && <tr><td colSpan={3} class="muted">{t('noDifference')}</td></tr>}
            {shown.map((one) => <Row key={one.task_id} task={one} a={other} b={id} />)}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Head({plan, side}: {plan: string; side: Json}) {
  return <th><a href={planPath(plan)}>{plan}</a> {side?.state && <Badge state={side.state} />} <span class="muted">{side?.cost_usd === undefined ? '' : money(side.cost_usd)}</span></th>;
}

function Row({task, a, b}: {task: Json; a: string; b: string}) {
  const changed: string[] = task.changed ?? [];
  const outputs: Json[] = (task.outputs ?? []).filter((one: Json) => !one.same);
  return (
    <>
      <tr class={task.same ? 'muted' : ''}>
        <td>{visible(task.task_id)}{changed.length > 0 && <span class="muted sub">{visible(changed.join(', '))}</span>}</td>
        <Side side={task.a} /><Side side={task.b} />
      </tr>
      {outputs.map((one) => <tr key={one.name}><td class="muted">{visible(one.name)}</td><td colSpan={2}><Lines output={one} a={a} b={b} /></td></tr>)}
    </>
  );
}

const Side = ({side}: {side: Json | null}) => (
  <td>{side ? <>{wordOf(letterOf(side.state))} {side.score != null && <strong>{side.score}</strong>} {side.reused && <span class="muted">{t('reused')}</span>}</> : '–'}</td>
);

function Lines({output, a, b}: {output: Json; a: string; b: string}) {
  const [texts, setTexts] = useState<[string, string]>();
  const [failed, setFailed] = useState('');
  const digest = (one: any): string => (typeof one === 'string' ? one : one?.sha256 ?? '');
  const load = async (event: Event) => {
    if (!(event.currentTarget as HTMLDetailsElement).open || texts) return;
    try {
      const read = (plan: string, version: string) => (version ? textOf(plan, output.name, version) : Promise.resolve(''));
      setTexts([await read(a, digest(output.a)), await read(b, digest(output.b))]);
    } catch (error) {
      setFailed((error as Error).message);
    }
  };
  return (
    <details onToggle={load}>
      <summary>{t('diff')}</summary>
      {texts && <Diff before={texts[0]} after={texts[1]} />}
      {failed && <p class="muted">{visible(failed)}</p>}
    </details>
  );
}
