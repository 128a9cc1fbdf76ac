// A task or command: what it was told and said, attempt by attempt.
import {useState} from 'preact/hooks';
import {Json, call, change, fileUrl} from './api';
import {useData} from './data';
import {Problem, Letter} from './parts';
import {go} from './router';
import {Content, Diff, Pre, visible} from './text';
import {clock, count, duration, letterOf, money, t} from './words';

export function TaskPanel({plan, task, close}: {plan: string; task: string; close: () => void}) {
  const shown = useData<Json>('show', {plan_id: plan, what: task}, plan);
  const [picked, setPicked] = useState<number | null>(null);
  const commands: Json[] = shown.value?.commands ?? [];
  const index = Math.min(picked ?? commands.length - 1, commands.length - 1);
  const command = commands[index];
  const node = shown.value?.task;
  return (
    <aside class="panel" aria-label={`${t('task')} ${task}`}>
      <header>
        <h2>{visible(task)}</h2>
        <button class="quiet" onClick={close} aria-label={t('close')}>✕</button>
      </header>
      {shown.error && <Problem error={shown.error} />}
      {!shown.value && !shown.error && <p class="muted">{t('loading')}</p>}
      {node && <p><Letter letter={letterOf(node.state)} /> · {visible(node.agent)}{node.score != null && ` · ${t('score')} ${node.score}`} · {money(node.cost_usd)} · {duration(node.started_at, node.ended_at)}</p>}
      {node?.error && <p class="trouble">{visible(node.error.message ?? '')}</p>}
      {commands.length > 1 && (
        <nav class="tabs" aria-label={t('attempts')}>
          {commands.map((_one, at) => <button class="link" aria-current={at === index ? 'page' : undefined} onClick={() => setPicked(at)}>{at + 1}</button>)}
        </nav>
      )}
      {command && <Command plan={plan} command={command} before={commands[index - 1]} />}
      {node && <Actions plan={plan} task={task} />}
    </aside>
  );
}

function Section({title, open, children}: {title: string; open?: boolean; children: preact.ComponentChildren}) {
  return <details open={open}><summary>{title}</summary>{children}</details>;
}

function Command({plan, command, before}: {plan: string; command: Json; before?: Json}) {
  const attempts: Json[] = command.attempts ?? [];
  const [picked, setPicked] = useState(attempts.length - 1);
  const attempt = attempts[Math.min(picked, attempts.length - 1)];
  const models = (attempt?.calls ?? []).filter((one: Json) => one.request);
  const tools = attempts.flatMap((one) => (one.calls ?? []).filter((call: Json) => !call.request));
  const last = models[models.length - 1];
  return (
    <>
      <p class="muted">{command.command_id} · {command.state} · {clock(command.received_at)}</p>
      {command.rework && <p class="note"><strong>{t('why')}:</strong> {visible(command.rework.reason ?? '')}</p>}
      {command.error && <p class="trouble">{visible(command.error.message ?? String(command.error))}</p>}
      {attempts.length > 1 && (
        <nav class="tabs" aria-label={t('attempt')}>
          {attempts.map((one, at) => <button class="link" aria-current={one === attempt ? 'page' : undefined} onClick={() => setPicked(at)}>{t('attempt')} {at + 1}</button>)}
        </nav>
      )}
      {command.result != null && <Section title={t('result')} open><Pre text={typeof command.result === 'string' ? command.result : JSON.stringify(command.result, null, 2)} /></Section>}
      {command.score != null && <p>{t('score')}: <strong>{command.score}</strong> {visible(command.score_explanation ?? '')}</p>}
      {(command.outputs ?? []).length > 0 && <Section title={t('outputs')} open><Files plan={plan} files={command.outputs} before={before?.outputs ?? []} /></Section>}
      {last && (
        <>
          <Section title={t('prompt')}>
            {last.request.system && <><h3>{t('system')}</h3><Pre text={last.request.system} /></>}
            {(last.request.messages ?? []).map((message: Json) => (
              <><h3>{message.role}</h3><Pre text={message.text ?? ''} />{(message.tool_calls ?? []).map((one: Json) => <Pre text={JSON.stringify(one, null, 2)} />)}</>
            ))}
          </Section>
          <Section title={t('answer')}>
            {models.map((one: Json) => (
              <>
                <Pre text={one.answer ?? (one.error ? JSON.stringify(one.error) : t('nothingYet'))} />
                {(one.refused ?? []).length > 0 && <p class="trouble">{visible((one.refused as string[]).join('; '))}</p>}
                <p class="muted">{count((one.tokens?.input ?? 0) + (one.tokens?.output ?? 0))} {t('tokens')} · {money(one.cost_usd)} · {one.request.model}</p>
              </>
            ))}
          </Section>
        </>
      )}
      {tools.length > 0 && (
        <Section title={`${t('tools')} (${tools.length})`}>
          {tools.map((one: Json) => (
            <div class="tool">
              <p><strong>{visible(one.name ?? '')}</strong>{one.exit_code != null && <> · {t('exitCode')} {one.exit_code}</>}</p>
              <Pre text={one.arguments ?? ''} /><Pre text={one.output ?? ''} />
            </div>
          ))}
        </Section>
      )}
      {(command.inputs ?? []).length > 0 && <Section title={t('inputs')}><Files plan={plan} files={command.inputs} before={[]} /></Section>}
    </>
  );
}

function Files({plan, files, before}: {plan: string; files: Json[]; before: Json[]}) {
  return <ul class="files">{files.map((file) => <File key={file.name + file.sha256} plan={plan} file={file} before={before.find((one) => one.name === file.name)} />)}</ul>;
}

async function textOf(plan: string, name: string, version: string): Promise<string> {
  const answer = await call('file', {plan_id: plan, name, version});
  const bytes = Uint8Array.from(atob(answer.content_base64), (c) => c.charCodeAt(0));
  return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
}

export function File({plan, file, before}: {plan: string; file: Json; before?: Json}) {
  const [text, setText] = useState<string>();
  const [old, setOld] = useState<string>();
  const [failed, setFailed] = useState('');
  const image = /\.(png|jpe?g|gif|webp)$/i.test(file.name);
  const load = async (event: Event) => {
    if (!(event.currentTarget as HTMLDetailsElement).open || text !== undefined || image) return;
    try {
      setText(await textOf(plan, file.name, file.sha256));
      if (before && before.sha256 !== file.sha256) setOld(await textOf(plan, file.name, before.sha256));
    } catch (error) {
      setFailed(String((error as Error).message));
    }
  };
  return (
    <li>
      <details onToggle={load}>
        <summary>{visible(file.name)} <span class="muted">{count(file.size ?? 0)} B</span></summary>
        {image && <img src={fileUrl(plan, file.name, file.sha256)} alt={file.name} />}
        {old !== undefined && text !== undefined && <><h3>{t('diff')}</h3><Diff before={old} after={text} /></>}
        {text !== undefined && <Content name={file.name} text={text} />}
        {failed && <p class="muted">{visible(failed)}</p>}
        <a class="file" href={fileUrl(plan, file.name, file.sha256)} download={file.name}>{t('download')}</a>
      </details>
    </li>
  );
}

function Actions({plan, task}: {plan: string; task: string}) {
  const [name, setName] = useState(`${plan}-fork`);
  const [error, setError] = useState<Error>();
  const fork = async (event: Event) => {
    event.preventDefault();
    try {
      const made = await change('fork', {plan_id: plan, from: task, as: name});
      go({plan: made.plan_id ?? name, tab: 'compare', task: ''});
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const again = () => change('plan/apply', {plan_id: plan, commands: [{command_name: 'reset_task', args: {task_id: task}}], reason: 'page'}).catch(setError);
  return (
    <form class="controls" onSubmit={fork}>
      <button type="button" class="quiet" onClick={again}>{t('retry')}</button>
      <label class="grow"><span class="hidden">{t('newPlan')}</span><input value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <button class="quiet">{t('fork')}</button>
      {error && <Problem error={error} />}
    </form>
  );
}
