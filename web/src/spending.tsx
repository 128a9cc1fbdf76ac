// What was spent: by model, by agent, by plan.
import {Json} from './api';
import {anything, useData} from './data';
import {usePlans} from './lists';
import {Loading, Problem} from './parts';
import {planPath} from './router';
import {visible} from './text';
import {count, money, t} from './words';

export interface Share { agent_id: string; model: string; tokens: number; cost_usd: number | null }
interface Row { name: string; tokens: number; cost: number | null; path?: string }

function gather(shares: Share[], key: 'agent_id' | 'model'): Row[] {
  const rows = new Map<string, Row>();
  for (const share of shares) {
    const name = share[key] || t('unknownModel');
    const row = rows.get(name) ?? {name, tokens: 0, cost: 0};
    row.tokens += share.tokens;
    row.cost = row.cost === null || share.cost_usd === null ? null : row.cost + share.cost_usd;
    rows.set(name, row);
  }
  return [...rows.values()].sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.tokens - a.tokens);
}

function Bars({title, rows}: {title: string; rows: Row[]}) {
  if (!rows.length) return null;
  const priced = rows.some((row) => row.cost);
  const size = (row: Row) => (priced ? row.cost ?? 0 : row.tokens);
  const most = Math.max(...rows.map(size), 1e-12);
  return (
    <section class="spent">
      <h2>{title}</h2>
      <table>
        <thead><tr><th>{title}</th><th class="n">{t('tokens')}</th><th class="n">{t('cost')}</th><th class="share"><span class="hidden">{t('share')}</span></th></tr></thead>
        <tbody>{rows.map((row) => (
          <tr key={row.name}>
            <td>{row.path ? <a href={row.path}>{visible(row.name)}</a> : visible(row.name)}</td>
            <td class="n">{count(row.tokens)}</td><td class="n">{money(row.cost)}</td>
            <td class="share"><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="amount" width={(size(row) / most) * 100} height="6" /></svg></td>
          </tr>
        ))}</tbody>
      </table>
    </section>
  );
}

export function Shares({shares}: {shares: Share[]}) {
  if (!shares.length) return <p class="empty">{t('nothingSpent')}</p>;
  return <div class="columns"><Bars title={t('model')} rows={gather(shares, 'model')} /><Bars title={t('agent')} rows={gather(shares, 'agent_id')} /></div>;
}

export function Spending() {
  const spent = useData<Json>('spending', {}, anything, 1000);
  const plans = usePlans({limit: 50}, anything, 1000);
  const value = spent.value;
  const known = new Map<string, Row>();
  for (const one of plans.value?.plans ?? []) {
    if (one.tokens) known.set(one.plan_id, {name: one.goal || one.plan_id, tokens: one.tokens, cost: one.cost_usd, path: planPath(one.plan_id, 'spending')});
  }
  for (const one of value?.plans ?? []) {
    if (!known.has(one.plan_id)) known.set(one.plan_id, {name: one.plan_id, tokens: one.tokens, cost: one.cost_usd, path: planPath(one.plan_id, 'spending')});
  }
  const rows = [...known.values()].sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.tokens - a.tokens);
  return (
    <section class="main">
      <h1>{t('spending')}</h1>
      {spent.error && <Problem error={spent.error} />}
      {!value && !spent.error && <Loading />}
      {value && <p class="total"><strong>{money(value.cost_usd)}</strong> <span class="muted">{count(value.tokens)} {t('tokens')}</span></p>}
      {value?.cost_usd === null && <p class="muted">{t('unpriced')}</p>}
      {value && <Shares shares={value.shares} />}
      {value && <Bars title={t('recentPlans')} rows={rows} />}
    </section>
  );
}
