// Small pieces that every view uses.
import {Refused} from './api';
import {visible} from './text';
import {planState, symbolOf, symbolOfPlan, t, wordOf} from './words';

export function Problem({error}: {error: Error}) {
  const hint = error instanceof Refused ? error.hint : '';
  if (error instanceof Refused && error.status === 401) return <Login />;
  return <p class="trouble" role="alert">{visible(error.message)}{hint && <span class="muted"> {visible(hint)}</span>}</p>;
}

export const Login = () => <div class="login"><h1>{t('login')}</h1><p>{t('loginHint')}</p></div>;

// By shape and word as well as by colour.
export const Badge = ({state}: {state: string}) => <span class={'badge plan-' + state}><span aria-hidden="true">{symbolOfPlan(state)}</span> {planState(state)}</span>;
export const Letter = ({letter}: {letter: string}) => <span class={'badge s-' + letter}><span aria-hidden="true">{symbolOf(letter)}</span> {wordOf(letter)}</span>;
