// Two attempts of a task side by side: what each was told, said and made, and the difference.
import {useState} from 'preact/hooks';
import {Json} from './api';
import {ofPlan, useData} from './data';
import {Files} from './files';
import {Loading, Problem} from './parts';
import {planPath} from './router';
import {answerOf, modelCalls, promptOf, resultText} from './task';
import {Diff, Pre, visible} from './text';
import {clock, commandState, count, money, seconds, t} from './words';

interface Try { label: string; command: Json; attempt?: Json; last: boolean; before?: Json }

function triesOf(commands: Json[]): Try[] {
  return commands.flatMap((command, at) => {
    const attempts: (Json | undefined)[] = command.attempts?.length ? command.attempts : [undefined];
    return attempts.map((attempt, number) => ({
      label: commands.length > 1 ? `${t('version')} ${at + 1}${attempts.length > 1 ? ` · ${t('attempt')} ${number + 1}` : ''}` : `${t('attempt')} ${number + 1}`,
      command, attempt, last: number === attempts.length - 1, before: commands[at - 1],
    }));
  });
}

const lastCall = (one: Try): Json | undefined => modelCalls(one.attempt).at(-1);
const toldOf = (one: Try): string => { const call = lastCall(one); return call ? promptOf(call.request) : one.command.prompt ?? ''; };
const saidOf = (one: Try): string => { const call = lastCall(one); return call ? answerOf(call) : ''; };
const madeOf = (one: Try): string => (one.last && one.command.result != null ? resultText(one.command.result) : '');

export function Attempts({plan, task}: {plan: string; task: string}) {
  const shown = useData<Json>('show', {plan_id: plan, what: task}, ofPlan(plan), 500);
  const [left, setLeft] = useState<number | null>(null);
  const [right, setRight] = useState<number | null>(null);
  if (shown.error) return <Problem error={shown.error} />;
  if (!shown.value) return <Loading />;
  const tries = triesOf(shown.value.commands ?? []);
  if (tries.length === 0) return <p class="empty">{t('nothingYet')}</p>;
  const a = tries[Math.min(left ?? Math.max(0, tries.length - 2), tries.length - 1)];
  const b = tries[Math.min(right ?? tries.length - 1, tries.length - 1)];
  const pick = (one: Try, set: (at: number) => void, name: string) => (
    <select aria-label={name} value={tries.indexOf(one)} onChange={(event) => set(Number(event.currentTarget.value))}>
      {tries.map((each, at) => <option value={at}>{each.label}</option>)}
    </select>
  );
  return (
    <div class="list">
      <h2><a href={planPath(plan, 'graph', task)}>{visible(task)}</a></h2>
      <div class="pair">
        <section>{pick(a, setLeft, t('earlier'))}<Facts one={a} /></section>
        <section>{pick(b, setRight, t('later'))}<Facts one={b} /></section>
      </div>
      <Part title={t('result')} a={madeOf(a)} b={madeOf(b)} open />
      {a.last && b.last && (a.command.outputs?.length > 0 || b.command.outputs?.length > 0) && (
        <details open><summary>{t('outputs')}</summary><div class="pair">
          <section><Files plan={plan} files={a.command.outputs ?? []} before={[]} /></section>
          <section><Files plan={plan} files={b.command.outputs ?? []} before={a.command.outputs ?? []} open /></section>
        </div></details>
      )}
      <Part title={t('answer')} a={saidOf(a)} b={saidOf(b)} />
      <Part title={t('prompt')} a={toldOf(a)} b={toldOf(b)} />
    </div>
  );
}

function Facts({one}: {one: Try}) {
  const calls = modelCalls(one.attempt);
  const tokens = calls.reduce((sum, call) => sum + (call.tokens?.input ?? 0) + (call.tokens?.output ?? 0), 0);
  const cost = calls.some((call) => call.cost_usd === null) ? null : calls.reduce((sum, call) => sum + (call.cost_usd ?? 0), 0);
  const error = one.attempt?.error ?? (one.last ? one.command.error : null);
  return (
    <>
      <p class="muted about"><span>{commandState(one.attempt?.outcome ?? one.command.state)}</span><span>{clock(one.attempt?.started_at ?? one.command.received_at)}</span><span>{seconds(one.attempt?.elapsed_s ?? one.command.elapsed_s)}</span>
        <span>{visible(calls.at(-1)?.request.model ?? '')}</span><span>{money(cost)}</span><span>{count(tokens)} {t('tokens')}</span>{one.last && one.command.score != null && <span>{t('score')} {one.command.score}</span>}</p>
      {one.command.rework && <p class="note"><strong>{t('why')}</strong> {visible(one.command.rework.reason ?? '')}</p>}
      {error && <p class="problem">{visible(error.message ?? String(error))}</p>}
    </>
  );
}

function Part({title, a, b, open}: {title: string; a: string; b: string; open?: boolean}) {
  if (!a && !b) return null;
  return (
    <details open={open}>
      <summary>{title}{a === b && <span class="muted"> {t('noDifference')}</span>}</summary>
      {a !== b && a && b && <><h3>{t('diff')}</h3><Diff before={a} after={b} /></>}
      <div class="pair"><Pre text={a} /><Pre text={b} /></div>
    </details>
  );
}
