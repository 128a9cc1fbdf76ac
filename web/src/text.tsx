// Shows what models, files and people wrote. Everything becomes text nodes: nothing in it can become markup.
import {ComponentChildren} from 'preact';

// Control characters and overrides of the writing direction are shown, so that nothing looks other than it is.
// The same characters as in base/visible_text.cc, and those that have no width.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
export const visible = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(HIDDEN, (c) => `⟨${c.codePointAt(0)!.toString(16).padStart(4, '0')}⟩`);

export const Pre = ({text}: {text: string}) => <pre class="text" tabIndex={0}>{visible(text)}</pre>;

// The parts of Markdown that people use in reports: headings, lists, code, emphasis. Links stay text.
function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(visible(text.slice(last, match.index)));
    if (match[1] !== undefined) parts.push(<code>{visible(match[1])}</code>);
    else if (match[2] !== undefined) parts.push(<strong>{visible(match[2])}</strong>);
    else parts.push(<em>{visible(match[3])}</em>);
    last = match.index! + match[0].length;
  }
  parts.push(visible(text.slice(last)));
  return parts;
}

export function Markdown({text}: {text: string}) {
  const blocks: ComponentChildren[] = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    const heading = /^(#{1,6})\s+(.*)/.exec(line);
    if (line.startsWith('```')) {
      const end = lines.findIndex((one, at) => at > i && one.startsWith('```'));
      const stop = end < 0 ? lines.length : end;
      blocks.push(<pre>{visible(lines.slice(i + 1, stop).join('\n'))}</pre>);
      i = stop + 1;
    } else if (heading) {
      blocks.push(<p class={'h h' + heading[1].length}>{inline(heading[2])}</p>);
      ++i;
    } else if (/^\s*[-*+]\s+/.test(line)) {
      const items: ComponentChildren[] = [];
      for (; i < lines.length && /^\s*[-*+]\s+/.test(lines[i]); ++i) items.push(<li>{inline(lines[i].replace(/^\s*[-*+]\s+/, ''))}</li>);
      blocks.push(<ul>{items}</ul>);
    } else if (/^\s*\d+[.)]\s+/.test(line)) {
      const items: ComponentChildren[] = [];
      for (; i < lines.length && /^\s*\d+[.)]\s+/.test(lines[i]); ++i) items.push(<li>{inline(lines[i].replace(/^\s*\d+[.)]\s+/, ''))}</li>);
      blocks.push(<ol>{items}</ol>);
    } else if (line.trim() === '') {
      ++i;
    } else {
      const from = i;
      while (i < lines.length && lines[i].trim() !== '' && !lines[i].startsWith('```') && !/^#{1,6}\s/.test(lines[i])) ++i;
      blocks.push(<p>{inline(lines.slice(from, Math.max(i, from + 1)).join('\n'))}</p>);
      if (i === from) ++i;
    }
  }
  return <div class="markdown">{blocks}</div>;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function Content({name, text}: {name: string; text: string}) {
  if (/\.(md|markdown)$/i.test(name)) return <Markdown text={text} />;
  if (/\.json$/i.test(name)) return <Pre text={pretty(text)} />;
  return <Pre text={text} />;
}

export interface DiffLine { kind: ' ' | '+' | '-'; text: string }

// By longest common subsequence of lines; beyond a few thousand lines only the ends that differ are compared.
export function diffLines(before: string, after: string): DiffLine[] {
  const ends = before.endsWith('\n') && after.endsWith('\n') ? -1 : undefined;  // the end of the last line is no line
  const a = before.slice(0, ends).split('\n');
  const b = after.slice(0, ends).split('\n');
  const head: DiffLine[] = [];
  const tail: DiffLine[] = [];
  while (a.length && b.length && a[0] === b[0]) { head.push({kind: ' ', text: a.shift()!}); b.shift(); }
  while (a.length && b.length && a[a.length - 1] === b[b.length - 1]) { tail.unshift({kind: ' ', text: a.pop()!}); b.pop(); }
  const middle: DiffLine[] = [];
  if (a.length * b.length > 4_000_000) {
    a.forEach((text) => middle.push({kind: '-', text}));
    b.forEach((text) => middle.push({kind: '+', text}));
    return [...head, ...middle, ...tail];
  }
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) { middle.push({kind: ' ', text: a[i]}); ++i; ++j; }
    else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) middle.push({kind: '-', text: a[i++]});
    else middle.push({kind: '+', text: b[j++]});
  }
  return [...head, ...middle, ...tail];
}

export function Diff({before, after}: {before: string; after: string}) {
  return (
    <pre class="diff" tabIndex={0}>
      {diffLines(before, after).map((line) => (
        <span class={line.kind === '+' ? 'added' : line.kind === '-' ? 'removed' : ''}>{line.kind + ' ' + visible(line.text) + '\n'}</span>
      ))}
    </pre>
  );
}
