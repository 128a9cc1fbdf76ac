// Where the page is: #/plans, #/plan/ID/graph/TASK, #/plan/ID/compare/OTHER, #/questions …
import {useEffect, useState} from 'preact/hooks';

export interface Place { view: string; plan: string; tab: string; task: string }

function read(): Place {
  const [view, plan, tab, task] = location.hash.replace(/^#\//, '').split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return {view: view || 'plans', plan: plan ?? '', tab: tab || 'graph', task: task ?? ''};
}

export function planPath(plan: string, tab = '', task = ''): string {
  return '#/' + ['plan', plan, tab || (task ? 'graph' : ''), task].filter(Boolean).map(encodeURIComponent).join('/');
}

export function go(place: {plan: string; tab: string; task: string}) {
  location.hash = planPath(place.plan, place.tab, place.task);
}

export function usePlace(): Place {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const look = () => setPlace(read());
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return place;
}
