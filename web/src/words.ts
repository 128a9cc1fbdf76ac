// Every text of the page, in both languages.
import {useEffect, useState} from 'preact/hooks';

const EN = {
  plans: 'Plans', questions: 'Questions', agents: 'Agents', letters: 'Dead letters', spending: 'Spending', start: 'Start a plan',
  search: 'Search plans', anyTag: 'Remove this filter', all: 'all', noPlans: 'No plans yet. Start one.', noQuestions: 'No open questions.',
  noLetters: 'No dead letters.', noAgents: 'No agents.', offline: 'Not connected. Trying again…', graph: 'Graph',
  timeline: 'Timeline', events: 'Events', tasks: 'Tasks', say: 'Say something about this plan', send: 'Send',
  pause: 'Pause', resume: 'Resume', cancel: 'Cancel', fork: 'Fork from here', compare: 'Compare', retry: 'Run again',
  prompt: 'Prompt', answer: 'Answer', tools: 'Tool calls', inputs: 'Inputs', outputs: 'Outputs', attempts: 'Attempts',
  diff: 'Changes', score: 'Score', cost: 'Cost', tokens: 'tokens', time: 'Time', approve: 'Approve', reject: 'Reject',
  reason: 'Your text', files: 'Files', goal: 'A goal in words', planFile: 'A plan (YAML)', run: 'Run', now: 'now',
  state: 'State', agent: 'Agent', task: 'Task', waitsForYou: 'Waits for you', done: 'Done', running: 'Running now',
  failed: 'Failed', loading: 'Loading…', close: 'Close', system: 'System message', user: 'User message', result: 'Result',
  error: 'Error', why: 'Why', deliverables: 'Deliverables', live: 'Live', past: 'As it was after event',
  backToLive: 'Back to now', login: 'This page opens with a link', loginHint: 'Run `agenttalk ui` in the hub and open the link that it prints.',
  valid: 'The plan is valid.', started: 'Started', answered: 'Answered', dark: 'Dark', light: 'Light', language: '中文',
  sent: 'Sent', noTasks: 'This plan has no task graph.', commands: 'Commands', readOnly: 'This page is read-only.',
  nothingYet: 'Nothing yet.', exitCode: 'exit code', drop: 'Remove', message: 'Message', download: 'Download',
  capabilities: 'Capabilities', waiting: 'Waiting', notices: 'Notices', searchTasks: 'Find a task', zoomFit: 'Show all',
  attempt: 'Attempt', confirmCancel: 'Really cancel?', updated: 'Updated',
  noDifference: 'No difference.', forked: 'Forked', newPlan: 'Name of the new plan', what: 'What happened', plan: 'Plan',
  noneFound: 'Nothing matches.', newer: 'Newer', older: 'Older', pages: 'Pages', agentRuns: 'working', agentWaits: 'waiting', agentIdle: 'idle',
  agentUndeclared: 'not declared', lettersHint: 'Files that were refused, and why.', takeAgain: 'Try again', content: 'Content',
  unknownModel: 'not recorded', model: 'Model', share: 'Share', nothingSpent: 'Nothing has been spent yet.', recentPlans: 'Plans',
  unpriced: 'For some calls no price is known; the total does not hold them.', forkOf: 'fork of', remarks: 'What was said', remarkDone: 'Done:',
  remarkOpen: 'Being considered:', remarkDropped: 'Not done:', reused: 'reused', stages: 'Stages and other commands', command: 'Command',
  searchEvents: 'Find an event', compareWith: 'Compare with', showSame: 'show what is the same', notText: 'This file is not text.',
  changed: 'changed', wholeFile: 'The whole file', version: 'Version', sideBySide: 'Attempts side by side', decisions: 'Decisions',
  earlier: 'Left side', later: 'Right side', until: 'until', highRisk: 'High risk', goalHint: 'The team plans it, does it and has it reviewed. Attach what it needs.',
  wholeQuestion: 'The question in full', newPrompt: 'Another prompt for the fork (optional)', planHint: 'Tasks with agents, prompts, inputs and outputs. It is checked while you type.',
};
export type Word = keyof typeof EN;

const ZH: Record<Word, string> = {
  plans: '计划', questions: '待答问题', agents: '智能体', letters: '死信', spending: '花费', start: '新建计划',
  search: '搜索计划', anyTag: '取消此筛选', all: '全部', noPlans: '还没有计划，先新建一个。', noQuestions: '没有待答的问题。',
  noLetters: '没有死信。', noAgents: '没有智能体。', offline: '连接已断开，正在重试…', graph: '任务图',
  timeline: '时间线', events: '事件', tasks: '任务', say: '对这个计划说点什么', send: '发送',
  pause: '暂停', resume: '继续', cancel: '取消', fork: '从这里分叉', compare: '比较', retry: '重新运行',
  prompt: '提示词', answer: '回答', tools: '工具调用', inputs: '输入', outputs: '输出', attempts: '尝试',
  diff: '变化', score: '得分', cost: '费用', tokens: '个 token', time: '时间', approve: '批准', reject: '退回',
  reason: '你的意见', files: '文件', goal: '用一句话描述目标', planFile: '计划文件（YAML）', run: '运行', now: '现在',
  state: '状态', agent: '智能体', task: '任务', waitsForYou: '等你处理', done: '已完成', running: '正在进行',
  failed: '失败', loading: '加载中…', close: '关闭', system: '系统消息', user: '用户消息', result: '结果',
  error: '错误', why: '原因', deliverables: '交付物', live: '实时', past: '计划在此事件之后的样子：',
  backToLive: '回到现在', login: '需要用链接打开本页', loginHint: '在 hub 目录里运行 `agenttalk ui`，打开它给出的链接。',
  valid: '计划有效。', started: '已开始', answered: '已答复', dark: '深色', light: '浅色', language: 'English',
  sent: '已发送', noTasks: '这个计划没有任务图。', commands: '命令', readOnly: '本页只读。',
  nothingYet: '还没有内容。', exitCode: '退出码', drop: '移除', message: '说明', download: '下载',
  capabilities: '能力', waiting: '等待', notices: '通知', searchTasks: '查找任务', zoomFit: '显示全部',
  attempt: '尝试', confirmCancel: '确定取消？', updated: '更新于',
  noDifference: '没有差别。', forked: '已分叉', newPlan: '新计划的名称', what: '发生了什么', plan: '计划',
  noneFound: '没有符合条件的内容。', newer: '较新', older: '较早', pages: '分页', agentRuns: '工作中', agentWaits: '等待中', agentIdle: '空闲',
  agentUndeclared: '未声明', lettersHint: '未能接收的文件及原因。', takeAgain: '重新接收', content: '内容',
  unknownModel: '未记录', model: '模型', share: '占比', nothingSpent: '还没有花费。', recentPlans: '计划',
  unpriced: '有些调用没有已知价格，未计入总额。', forkOf: '分叉自', remarks: '说过的话', remarkDone: '已处理：',
  remarkOpen: '正在考虑：', remarkDropped: '未处理：', reused: '沿用', stages: '各阶段与其他命令', command: '命令',
  searchEvents: '查找事件', compareWith: '比较对象', showSame: '显示相同部分', notText: '这个文件不是文本。',
  changed: '有变化', wholeFile: '完整文件', version: '版本', sideBySide: '并排查看各次尝试', decisions: '决定',
  earlier: '左侧', later: '右侧', until: '截止', highRisk: '高风险', goalHint: '团队会规划、执行并评审。请附上需要的文件。',
  wholeQuestion: '完整的问题', newPrompt: '分叉使用的新提示词（可选）', planHint: '任务、智能体、提示词、输入和输出。输入时即时检查。',
};

const STATES: Record<string, [string, string, string]> = {
  // letter: symbol, English, Chinese
  p: ['·', 'pending', '未开始'], y: ['○', 'ready', '就绪'], r: ['▶', 'running', '运行中'], i: ['…', 'waits for input', '等待输入'],
  v: ['◇', 'in review', '评审中'], h: ['?', 'waits for a person', '等待人工'], f: ['✕', 'failed', '失败'],
  s: ['↷', 'skipped', '已跳过'], c: ['✓', 'completed', '已完成'], x: ['–', 'cancelled', '已取消'], b: ['▢', 'blocked', '受阻'],
};
const NAMES: Record<string, string> = {
  PENDING: 'p', READY: 'y', RUNNING: 'r', BLOCKED_WAITING_INPUT: 'i', BLOCKED_WAITING_REVIEW: 'v',
  BLOCKED_WAITING_HUMAN: 'h', FAILED: 'f', SKIPPED: 's', COMPLETED: 'c', CANCELLED: 'x',
};
const PLAN_STATES: Record<string, [string, string]> = {
  running: ['running', '运行中'], waiting: ['waiting', '等待中'], paused: ['paused', '已暂停'], completed: ['completed', '已完成'],
  failed: ['failed', '失败'], cancelled: ['cancelled', '已取消'],
};

const PHASES: Record<string, [string, string]> = {
  understanding: ['understanding the goal', '理解目标'], routing: ['deciding what to do', '决定去向'], planning: ['planning', '制定计划'],
  reviewing: ['reviewing the plan', '评审计划'], matching: ['choosing who does what', '分派智能体'], executing: ['executing', '执行中'],
  closing: ['closing', '收尾'], ended: ['ended', '已结束'],
};
const COMMANDS: Record<string, [string, string]> = {
  waiting_inputs: ['… waits for input', '… 等待输入'], ready: ['○ ready', '○ 就绪'], running: ['▶ running', '▶ 运行中'], retry_wait: ['… waits to retry', '… 等待重试'],
  waiting_human: ['? waits for a person', '? 等待人工'], waiting_collaboration: ['… waits for another agent', '… 等待其他智能体'], succeeded: ['✓ succeeded', '✓ 成功'],
  failed: ['✕ failed', '✕ 失败'], timed_out: ['✕ timed out', '✕ 超时'], cancelled: ['– cancelled', '– 已取消'], superseded: ['– replaced', '– 已被替换'],
};

let language: 'en' | 'zh' = localStorage.getItem('language') === 'zh' || (!localStorage.getItem('language') && navigator.language.startsWith('zh')) ? 'zh' : 'en';

export const currentLanguage = () => language;
export function setLanguage(next: 'en' | 'zh') {
  language = next;
  localStorage.setItem('language', next);
  document.documentElement.lang = next;
}
export const t = (word: Word): string => (language === 'zh' ? ZH : EN)[word];
export const letterOf = (state: string): string => NAMES[state] ?? 'b';
export const symbolOf = (letter: string): string => (STATES[letter] ?? STATES.b)[0];
export const wordOf = (letter: string): string => (STATES[letter] ?? STATES.b)[language === 'zh' ? 2 : 1];
export const planState = (state: string): string => PLAN_STATES[state]?.[language === 'zh' ? 1 : 0] ?? state;
export const symbolOfPlan = (state: string): string =>
  ({running: '▶', waiting: '…', paused: '‖', completed: '✓', failed: '✕', cancelled: '–'} as Record<string, string>)[state] ?? '·';

const inWords = (table: Record<string, [string, string]>, word: string): string => table[word]?.[language === 'zh' ? 1 : 0] ?? word;
export const phaseWord = (phase: string): string => inWords(PHASES, phase);
export const commandState = (state: string): string => inWords(COMMANDS, state);

// Draws again every second while something is measured.
export function useTick(on: boolean) {
  const [, set] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => set((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [on]);
}

export function useLanguage(): ['en' | 'zh', (next: 'en' | 'zh') => void] {
  const [value, set] = useState(language);
  return [value, (next) => { setLanguage(next); set(next); }];
}

// Numbers as people write them.
export const count = (n: number): string => new Intl.NumberFormat(language).format(n);
export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '?';
  return '$' + usd.toFixed(usd !== 0 && usd < 0.1 ? 4 : 2);
}
export function clock(time: string | null | undefined): string {
  if (!time) return '';
  const date = new Date(time);
  const today = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language, today ? {timeStyle: 'medium'} : {dateStyle: 'short', timeStyle: 'short'}).format(date);
}
export function duration(from?: string | null, to?: string | null): string {
  if (!from) return '';
  const seconds = Math.max(0, ((to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000);
  if (seconds < 10) return seconds.toFixed(1) + ' s';
  if (seconds < 90) return Math.round(seconds) + ' s';
  if (seconds < 5400) return Math.round(seconds / 60) + ' min';
  return (seconds / 3600).toFixed(1) + ' h';
}
export const seconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : value < 10 ? value.toFixed(1) + ' s' : value < 90 ? Math.round(value) + ' s' : Math.round(value / 60) + ' min';
export const bytes = (n: number): string => (n < 10_000 ? count(n) + ' B' : n < 10_000_000 ? count(Math.round(n / 1000)) + ' KB' : count(Math.round(n / 1_000_000)) + ' MB');
