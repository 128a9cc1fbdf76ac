// Small pieces that every view uses.
import {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {Refused} from './api';
import {visible} from './text';
import {count, planState, symbolOf, symbolOfPlan, t, wordOf} from './words';

export function Problem({error}: {error: Error}) {
  const hint = error instanceof Refused ? error.hint : '';
  if (error instanceof Refused && error.status === 401) return <Login />;
  return <p class="problem" role="alert">{visible(error.message)}{hint && <span class="muted"> {visible(hint)}</span>}</p>;
}

export const Login = () => <div class="login"><h1>{t('login')}</h1><p>{t('loginHint')}</p></div>;

export const Loading = () => <p class="muted">{t('loading')}</p>;

// By shape and word as well as by colour.
export const Badge = ({state}: {state: string}) => <span class={'badge plan-' + state}><span aria-hidden="true">{symbolOfPlan(state)}</span> {planState(state)}</span>;
export const Letter = ({letter}: {letter: string}) => <span class={'badge s-' + letter}><span aria-hidden="true">{symbolOf(letter)}</span> {wordOf(letter)}</span>;

export function Section({title, open, children}: {title: ComponentChildren; open?: boolean; children: ComponentChildren}) {
  return <details open={open}><summary>{title}</summary>{children}</details>;
}

// Asks once more before it acts, in its own place.
export function SureButton({label, sure, act}: {label: string; sure: string; act: () => void}) {
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!asked) return;
    const timer = setTimeout(() => setAsked(false), 5000);
    return () => clearTimeout(timer);
  }, [asked]);
  return <button type="button" class={asked ? 'danger' : 'quiet'} onClick={() => { if (asked) act(); setAsked(!asked); }}>{asked ? sure : label}</button>;
}

const ORDER = 'cfrvhiybpsx';

// How many tasks are in which state, as one bar. The words beside it say the same.
export function StateBar({states}: {states: string}) {
  const tally = new Map<string, number>();
  for (const letter of states) tally.set(letter, (tally.get(letter) ?? 0) + 1);
  let from = 0;
  const parts = [...ORDER].filter((letter) => tally.has(letter)).map((letter) => {
    const part = {letter, from, width: (tally.get(letter)! / states.length) * 1000};
    from += part.width;
    return part;
  });
  const words = parts.map(({letter}) => `${count(tally.get(letter)!)} ${wordOf(letter)}`).join(', ');
  return (
    <svg class="bar-of-states" viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label={words || t('nothingYet')}>
      <rect class="rest" x="0" y="0" width="1000" height="8" />
      {parts.map((part) => <rect class={'s-' + part.letter} x={part.from} y="0" width={Math.max(2, part.width)} height="8" />)}
    </svg>
  );
}
