// A file of a plan, shown by what it is, with its difference to an earlier version.
import {useState} from 'preact/hooks';
import {Json, fileUrl, textOf} from './api';
import {Section} from './parts';
import {Content, Diff, visible} from './text';
import {bytes, t} from './words';

// `file`: {name, sha256, size}; `before`: the version it is compared with.
export function File({plan, file, before, open}: {plan: string; file: Json; before?: string | null; open?: boolean}) {
  const [text, setText] = useState<string>();
  const [old, setOld] = useState<string>();
  const [failed, setFailed] = useState('');
  const image = /\.(png|jpe?g|gif|webp)$/i.test(file.name);
  const changed = before && before !== file.sha256;
  const load = async (event: Event) => {
    if (!(event.currentTarget as HTMLDetailsElement).open || text !== undefined || image) return;
    try {
      setText(await textOf(plan, file.name, file.sha256));
      if (changed) setOld(await textOf(plan, file.name, before));
    } catch (error) {
      setFailed(error instanceof TypeError ? t('notText') : (error as Error).message);
    }
  };
  return (
    <li>
      <details onToggle={load} open={open}>
        <summary>{visible(file.name)} <span class="muted">{bytes(file.size ?? 0)}</span>{changed && <span class="badge s-v"> ± {t('changed')}</span>}</summary>
        {image && <img src={fileUrl(plan, file.name, file.sha256)} alt={file.name} />}
        {old !== undefined && text !== undefined && <Diff before={old} after={text} />}
        {text !== undefined && (changed ? old !== undefined && <Section title={t('wholeFile')}><Content name={file.name} text={text} /></Section> : <Content name={file.name} text={text} />)}
        {failed && <p class="muted">{visible(failed)}</p>}
      </details>
      <a class="download" href={fileUrl(plan, file.name, file.sha256)} download={file.name.split('/').pop()} aria-label={`${t('download')} ${file.name}`}>↓ {t('download')}</a>
    </li>
  );
}

export function Files({plan, files, before, open}: {plan: string; files: Json[]; before: Json[]; open?: boolean}) {
  return <ul class="files">{files.map((file) => <File key={file.name + file.sha256} plan={plan} file={file} open={open} before={before.find((one) => one.name === file.name)?.sha256} />)}</ul>;
}
