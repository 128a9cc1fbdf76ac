import {render} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {Json} from './api';
import {nothing, questions as asks, useData} from './data';
import {Agents, Letters, Plans} from './lists';
import {Login} from './parts';
import {PlanView} from './plan';
import {Questions} from './questions';
import {usePlace} from './router';
import {Spending} from './spending';
import {Start} from './start';
import {stream} from './stream';
import {visible} from './text';
import {Word, currentLanguage, setLanguage, t, useLanguage} from './words';

const VIEWS: [string, Word][] = [
  ['plans', 'plans'], ['questions', 'questions'], ['agents', 'agents'], ['letters', 'letters'], ['spending', 'spending'], ['start', 'start'],
];

function theme(): string {
  return localStorage.getItem('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

function Page() {
  const place = usePlace();
  const [language, choose] = useLanguage();
  const [shade, setShade] = useState(theme());
  const [connected, setConnected] = useState(true);
  const hub = useData<Json>('hub', {}, nothing);
  const questions = useData<Json[]>('questions', {}, asks);
  const admitted = hub.value !== undefined;
  const viewer = hub.value?.role === 'view';
  const waiting = (questions.value ?? []).filter((one) => one.kind !== 'alert').length;
  useEffect(() => { document.documentElement.dataset.theme = shade; dispatchEvent(new Event('shade')); }, [shade]);
  useEffect(() => { document.documentElement.dataset.role = viewer ? 'view' : 'operate'; }, [viewer]);
  useEffect(() => {
    if (!admitted) return;
    stream.onState = () => setConnected(stream.connected);
    stream.start();
  }, [admitted]);
  useEffect(() => { document.title = (waiting > 0 ? `(${waiting}) ` : '') + (place.plan || t((VIEWS.find(([view]) => view === place.view) ?? VIEWS[0])[1])) + ' · AgentTalk'; }, [place, language, waiting]);
  if (hub.error && !hub.value) return <main><Login /></main>;
  return (
    <>
      <header class="bar">
        <a class="name" href="#/plans">AgentTalk{hub.value && <span class="muted"> {visible(hub.value.name)}</span>}</a>
        <nav aria-label="AgentTalk">
          {VIEWS.filter(([view]) => !viewer || view !== 'start').map(([view, word]) => (
            <a href={'#/' + view} aria-current={place.view === view || (view === 'plans' && place.view === 'plan') ? 'page' : undefined}>{t(word)}{view === 'questions' && waiting > 0 && <span class="count">{waiting}</span>}</a>
          ))}
        </nav>
        <div class="shades">
        {viewer && <span class="muted">{t('readOnly')}</span>}
        <button class="quiet" onClick={() => { const next = shade === 'dark' ? 'light' : 'dark'; localStorage.setItem('theme', next); setShade(next); }}>{t(shade === 'dark' ? 'light' : 'dark')}</button>
        <button class="quiet" lang={language === 'en' ? 'zh' : 'en'} onClick={() => choose(language === 'en' ? 'zh' : 'en')}>{t('language')}</button>
        </div>
      </header>
      <p class="offline" role="status" hidden={connected}>{t('offline')}</p>
      <main>
        {place.view === 'plans' && <Plans />}
        {place.view === 'plan' && <PlanView key={place.plan} id={place.plan} tab={place.tab} task={place.task} />}
        {place.view === 'questions' && <Questions />}
        {place.view === 'agents' && <Agents />}
        {place.view === 'letters' && <Letters />}
        {place.view === 'spending' && <Spending />}
        {place.view === 'start' && <Start />}
      </main>
    </>
  );
}

setLanguage(currentLanguage());
render(<Page />, document.getElementById('page')!);
