// A task or command: what it was told and said, attempt by attempt.
import {useState} from 'preact/hooks';
import {Json, change} from './api';
import {ofPlan, useData} from './data';
import {Files} from './files';
import {Letter, Loading, Problem, Section} from './parts';
import {go, planPath} from './router';
import {Pre, visible} from './text';
import {clock, commandState, count, duration, letterOf, money, seconds, t} from './words';

export function TaskPanel({plan, task, close}: {plan: string; task: string; close: () => void}) {
  const shown = useData<Json>('show', {plan_id: plan, what: task}, ofPlan(plan), 500);
  const [picked, setPicked] = useState<number | null>(null);
  const commands: Json[] = shown.value?.commands ?? [];
  const index = Math.min(picked ?? commands.length - 1, commands.length - 1);
  const command = commands[index];
  const node = shown.value?.task;
  const attempts = commands.reduce((sum, one) => sum + Math.max(1, one.attempts?.length ?? 0), 0);
  return (
    <aside class="panel" aria-label={`${t('task')} ${task}`}>
      <header>
        <h2>{visible(task)}</h2>
        <button class="quiet" onClick={close} aria-label={t('close')}>✕</button>
      </header>
      {shown.error && <Problem error={shown.error} />}
      {!shown.value && !shown.error && <Loading />}
      {node?.state && <p class="about"><Letter letter={letterOf(node.state)} /><span>{visible(node.agent)}</span>{node.score != null && <span>{t('score')} {node.score}</span>}<span>{money(node.cost_usd)}</span><span>{duration(node.started_at, node.ended_at)}</span></p>}
      {node?.error && <p class="problem">{visible(node.error.message ?? '')}</p>}
      {commands.length > 1 && (
        <nav class="tabs" aria-label={t('attempts')}>
          {commands.map((_one, at) => <button class="link" aria-current={at === index ? 'page' : undefined} onClick={() => setPicked(at)}>{t('version')} {at + 1}</button>)}
        </nav>
      )}
      {attempts > 1 && <p><a href={planPath(plan, 'attempts', task)}>{t('sideBySide')}</a></p>}
      {command && <Command key={command.command_id} plan={plan} command={command} before={commands[index - 1]} />}
      {(node?.decisions ?? []).length > 0 && <Section title={`${t('decisions')} (${node.decisions.length})`}><ul class="decisions">{node.decisions.map((one: Json) => <li><span class="muted">{clock(one.at ?? one.time)}</span> {visible(one.text ?? one.type)}</li>)}</ul></Section>}
      {node && <Actions plan={plan} task={task} />}
    </aside>
  );
}

export const modelCalls = (attempt: Json): Json[] => (attempt?.calls ?? []).filter((one: Json) => one.request);

export function promptOf(request: Json): string {
  const messages = (request.messages ?? []).map((message: Json) => [`── ${message.role}`, message.text ?? '', ...(message.tool_calls ?? []).map((one: Json) => JSON.stringify(one, null, 2))].join('\n'));
  return [...(request.system ? ['── system\n' + request.system] : []), ...messages].join('\n\n');
}

export const answerOf = (call: Json): string => call.answer ?? (call.error ? call.error.message ?? JSON.stringify(call.error) : t('nothingYet'));

export const resultText = (result: any): string => (typeof result === 'string' ? result : JSON.stringify(result, null, 2));

function Command({plan, command, before}: {plan: string; command: Json; before?: Json}) {
  const attempts: Json[] = command.attempts ?? [];
  const [picked, setPicked] = useState<number | null>(null);
  const attempt = attempts[Math.min(picked ?? attempts.length - 1, attempts.length - 1)];
  const models = modelCalls(attempt);
  const tools = attempts.flatMap((one) => (one.calls ?? []).filter((call: Json) => !call.request));
  const last = models[models.length - 1];
  return (
    <>
      <p class="muted about"><span>{command.command_id}</span><span>{commandState(command.state)}</span><span>{clock(command.received_at)}</span></p>
      {command.rework && <p class="note"><strong>{t('why')}</strong> {visible(command.rework.reason ?? '')}</p>}
      {command.error && <p class="problem">{visible(command.error.message ?? String(command.error))}</p>}
      {attempts.length > 1 && (
        <nav class="tabs" aria-label={t('attempts')}>
          {attempts.map((one, at) => <button class="link" aria-current={one === attempt ? 'page' : undefined} onClick={() => setPicked(at)}>{t('attempt')} {at + 1}</button>)}
        </nav>
      )}
      {attempt?.error && <p class="problem">{visible(attempt.error.message ?? String(attempt.error))}</p>}
      {command.result != null && <Section title={t('result')} open><Pre text={resultText(command.result)} /></Section>}
      {command.score != null && <p>{t('score')} <strong>{command.score}</strong> {visible(command.score_explanation ?? '')}</p>}
      {(command.outputs ?? []).length > 0 && <Section title={t('outputs')} open><Files plan={plan} files={command.outputs} before={before?.outputs ?? []} /></Section>}
      {last && <Section title={t('prompt')}><Prompt request={last.request} /></Section>}
      {last && <Section title={t('answer')}>{models.map((one) => <Answer call={one} />)}</Section>}
      {tools.length > 0 && <Section title={`${t('tools')} (${count(tools.length)})`}>{tools.map((one) => <Tool call={one} />)}</Section>}
      {(command.inputs ?? []).length > 0 && <Section title={t('inputs')}><Files plan={plan} files={command.inputs} before={[]} /></Section>}
    </>
  );
}

function Prompt({request}: {request: Json}) {
  return (
    <>
      {request.system && <><h3>{t('system')}</h3><Pre text={request.system} /></>}
      {(request.messages ?? []).map((message: Json) => (
        <><h3>{message.role}</h3><Pre text={message.text ?? ''} />{(message.tool_calls ?? []).map((one: Json) => <Pre text={JSON.stringify(one, null, 2)} />)}</>
      ))}
    </>
  );
}

function Answer({call}: {call: Json}) {
  return (
    <>
      <Pre text={answerOf(call)} />
      {(call.refused ?? []).length > 0 && <p class="trouble">{visible((call.refused as string[]).join('; '))}</p>}
      <p class="muted about"><span>{visible(call.request.model ?? '')}</span><span>{count((call.tokens?.input ?? 0) + (call.tokens?.output ?? 0))} {t('tokens')}</span><span>{money(call.cost_usd)}</span><span>{seconds(call.elapsed_s)}</span></p>
    </>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Tool({call}: {call: Json}) {
  return (
    <div class="tool">
      <p><strong>{visible(call.name ?? '')}</strong>{call.exit_code != null && <span class={call.exit_code ? 'trouble' : 'muted'}> {t('exitCode')} {call.exit_code}</span>} <span class="muted">{seconds(call.elapsed_s)}</span></p>
      <Pre text={pretty(call.arguments ?? '')} />{call.output && <Pre text={call.output} />}
      {call.error && <p class="trouble">{visible(call.error.message ?? String(call.error))}</p>}
    </div>
  );
}

function Actions({plan, task}: {plan: string; task: string}) {
  const [name, setName] = useState(`${plan}-fork`);
  const [prompt, setPrompt] = useState('');
  const [error, setError] = useState<Error>();
  const fork = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    try {
      const made = await change('fork', {plan_id: plan, from: task, as: name, ...(prompt.trim() ? {prompt} : {})});
      go({plan: made.plan_id ?? name, tab: 'compare', task: plan});
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const again = () => {
    setError(undefined);
    change('plan/apply', {plan_id: plan, commands: [{command_name: 'reset_task', args: {task_id: task}}], reason: 'page'}).catch(setError);
  };
  return (
    <form class="controls actions changes" onSubmit={fork}>
      <button type="button" class="quiet" onClick={again}>{t('retry')}</button>
      <span class="spacer" />
      <label class="whole"><span class="hidden">{t('newPrompt')}</span><textarea id="fork-prompt" rows={1} placeholder={t('newPrompt')} value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} /></label>
      <label class="grow"><span class="hidden">{t('newPlan')}</span><input id="fork-name" value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <button class="quiet">{t('fork')}</button>
      {error && <Problem error={error} />}
    </form>
  );
}
