// What a view shows: asked for once, and again when an event may have changed it, at most a few times a second.
import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import {Json, Refused, call} from './api';
import {Frame, stream} from './stream';

const PAUSE = 250;
const SLOW = 100;

export interface Loaded<T> {
  value?: T;
  error?: Refused;
  reload: () => void;
}

// Whether a frame may have changed what is shown.
export type Concern = (frame: Frame) => boolean;
export const anything: Concern = (frame) => frame.plans === null || frame.plans.length > 0;
export const nothing: Concern = () => false;
export const questions: Concern = (frame) => frame.plans === null || frame.asks;
export const ofPlan = (plan: string): Concern => (frame) => frame.plans === null || frame.plans.includes(plan);

// While nobody looks at the page, only the questions are followed: their number is in the title.
const isUnwatched = (concern: Concern) => document.hidden && concern !== questions;

// `method` null: nothing is asked. The last answer stays until the next one is there, also while the hub cannot be reached.
export function useData<T = Json>(method: string | null, parameters: object, concern: Concern, pause = PAUSE): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<Refused>();
  const key = method + JSON.stringify(parameters);
  const state = useRef({asking: false, again: false, timer: 0, key: '', took: 0});
  const latest = useRef({concern, ask: (_seen?: number) => {}});
  latest.current.concern = concern;

  const later = useCallback((wait: number) => {
    const now = state.current;
    if (now.timer) return;
    now.timer = window.setTimeout(() => {
      now.timer = 0;
      latest.current.ask();
    }, wait);
  }, []);

  const ask = useCallback(async (seen = stream.last) => {
    const now = state.current;
    if (method === null || !stream.connected) return;  // once connected again, everything is asked for
    if (now.asking) {
      now.again = true;
      return;
    }
    now.asking = true;
    const began = performance.now();
    try {
      const answer = await call(method, parameters, seen);
      if (now.key === key) {
        setValue(answer);
        setError(undefined);
      }
    } catch (failure) {
      if (failure instanceof Refused) {
        if (now.key === key) setError(failure);
        if (failure.status === 429) now.again = true;
      } else {
        now.again = true;
      }
    }
    now.took = performance.now() - began;
    now.asking = false;
    // A slow answer is not asked for all the time: while somebody drags the slider, for half of the time at most.
    if (now.key !== key) later(now.took > SLOW ? now.took : 0);
    else if (now.again) later(Math.max(PAUSE, now.took * 4));
    now.again = false;
  }, [key]);
  latest.current.ask = ask;

  useEffect(() => {
    const now = state.current;
    now.key = key;
    if (method === null) {
      setValue(undefined);
      setError(undefined);
      return;
    }
    ask();
    let missed = false;
    const stop = stream.listen((frame) => {
      if (!latest.current.concern(frame)) return;
      if (isUnwatched(latest.current.concern)) missed = true;
      else later(Math.max(pause, now.took * 4));
    });
    const look = () => {
      if (!document.hidden && missed) later(0);
      if (!document.hidden) missed = false;
    };
    document.addEventListener('visibilitychange', look);
    return () => {
      stop();
      document.removeEventListener('visibilitychange', look);
      clearTimeout(now.timer);
      now.timer = 0;
    };
  }, [key]);

  return {value, error, reload: () => ask(0)};
}
