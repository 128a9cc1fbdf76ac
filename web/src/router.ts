// Where the page is: #/plans, #/plan/ID/graph/TASK, #/questions …
import {useEffect, useState} from 'preact/hooks';

export interface Place { view: string; plan: string; tab: string; task: string }

function read(): Place {
  const [view, plan, tab, task] = location.hash.replace(/^#\//, '').split('/').map(decodeURIComponent);
  return {view: view || 'plans', plan: plan ?? '', tab: tab || 'graph', task: task ?? ''};
}

export function go(place: {plan: string; tab: string; task: string}) {
  const parts = ['plan', place.plan, place.tab, place.task].filter(Boolean).map(encodeURIComponent);
  location.hash = '#/' + parts.join('/');
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
