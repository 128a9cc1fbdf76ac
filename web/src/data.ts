// What a view shows: asked for once, and again when an event may have changed it, at most a few times a second.
import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import {Frame, Json, Refused, call, stream} from './api';

const PAUSE = 250;

export interface Loaded<T> {
  value?: T;
  error?: Refused | Error;
  reload: () => void;
}

// `plan`: only events of this plan matter; undefined: all do.
export function useData<T = Json>(method: string | null, parameters: object = {}, plan?: string): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<Error>();
  const key = method + JSON.stringify(parameters);
  const state = useRef({asking: false, again: false, timer: 0, key: ''});

  const ask = useCallback(async () => {
    const now = state.current;
    if (method === null) return;
    if (now.asking) {
      now.again = true;
      return;
    }
    now.asking = true;
    const asked = key;
    try {
      const answer = await call(method, parameters);
      if (now.key === asked) {
        setValue(answer);
        setError(undefined);
      }
    } catch (failure) {
      if (now.key === asked) setError(failure as Error);
    }
    now.asking = false;
    if (now.again) {
      now.again = false;
      later();
    }
  }, [key]);

  const later = useCallback(() => {
    const now = state.current;
    if (now.timer) return;
    now.timer = window.setTimeout(() => {
      now.timer = 0;
      ask();
    }, PAUSE);
  }, [ask]);

  useEffect(() => {
    state.current.key = key;
    setValue(undefined);
    ask();
    const stop = stream.listen((frame: Frame) => {
      if (frame.plans === null || (plan === undefined ? frame.plans.length > 0 : frame.plans.includes(plan))) later();
    });
    return () => {
      stop();
      clearTimeout(state.current.timer);
      state.current.timer = 0;
    };
  }, [key, plan]);

  return {value, error, reload: ask};
}
