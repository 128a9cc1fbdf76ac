// A plan's graph on a canvas: only what is in view is drawn, and small tasks are drawn as marks. The places come from the
// server (api/page/graph_layout.cc). Beside the canvas there is the list of tasks, for keyboards and screen readers.
import {useEffect, useRef, useState} from 'preact/hooks';
import {count, symbolOf, t, wordOf} from './words';

export type Node = [id: string, agent: string, column: number, row: number];
export interface Graph { revision: number; tasks: Node[]; edges: [number, number][] }

const WIDTH = 168, HEIGHT = 40, GAP_X = 60, GAP_Y = 16;
const FONT = 'system-ui, "Noto Sans", sans-serif';
const TEXT_FROM = 0.45;  // below this scale no text could be read
const STEP_X = WIDTH + GAP_X, STEP_Y = HEIGHT + GAP_Y;

interface View { x: number; y: number; scale: number }

function colors() {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: get('--text'), muted: get('--muted'), line: get('--line'), panel: get('--panel'), accent: get('--accent'),
    fill: {c: get('--good'), f: get('--bad'), r: get('--accent'), h: get('--wait'), v: get('--wait'), i: get('--wait'),
           x: get('--muted'), s: get('--muted'), p: get('--idle'), y: get('--idle'), b: get('--idle')} as Record<string, string>,
  };
}

export class GraphPainter {
  view: View = {x: 0, y: 0, scale: 1};
  private bounds = {left: 0, top: 0, right: 1, bottom: 1};
  private readonly cells = new Map<string, number[]>();  // tasks by region, so that only the visible ones are visited
  private edgesOf: number[][] = [];
  private readonly xs: Float64Array;
  private readonly ys: Float64Array;
  private pixels = new Int32Array(0);  // by which pass a pixel was painted last
  private pass = 0;
  selected = -1;
  found = new Set<number>();  // by a search
  states = '';
  frames = 0;
  moved = false;  // by a person: the view stays as it is when the room changes

  constructor(readonly canvas: HTMLCanvasElement, readonly graph: Graph) {
    this.xs = Float64Array.from(graph.tasks, (node) => node[2] * STEP_X);
    this.ys = Float64Array.from(graph.tasks, (node) => node[3] * STEP_Y);
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    graph.tasks.forEach((_node, index) => {
      const [x, y] = this.place(index);
      left = Math.min(left, x); right = Math.max(right, x + WIDTH); top = Math.min(top, y); bottom = Math.max(bottom, y + HEIGHT);
      const key = this.cellOf(x, y);
      const cell = this.cells.get(key);
      if (cell) cell.push(index); else this.cells.set(key, [index]);
    });
    this.bounds = graph.tasks.length ? {left, right, top, bottom} : this.bounds;
    this.edgesOf = graph.tasks.map(() => []);
    graph.edges.forEach(([from, to], index) => { this.edgesOf[from].push(index); this.edgesOf[to].push(index); });
  }

  place(index: number): [number, number] {
    return [this.xs[index], this.ys[index]];
  }

  private cellOf(x: number, y: number): string {
    return Math.floor(x / (STEP_X * 8)) + ',' + Math.floor(y / (STEP_Y * 16));
  }

  fit() {
    this.moved = false;
    const {left, right, top, bottom} = this.bounds;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    const scale = Math.min(1, (width - 32) / (right - left), (height - 32) / (bottom - top));
    this.view = {scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale};
  }

  center(index: number) {
    this.moved = true;
    const [x, y] = this.place(index);
    const scale = Math.max(this.view.scale, 0.7);
    this.view = {scale, x: this.canvas.clientWidth / 2 - (x + WIDTH / 2) * scale, y: this.canvas.clientHeight / 2 - (y + HEIGHT / 2) * scale};
  }

  zoom(factor: number, x: number, y: number) {
    this.moved = true;
    const scale = Math.min(3, Math.max(0.01, this.view.scale * factor));
    const real = scale / this.view.scale;
    this.view = {scale, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real};
  }

  at(x: number, y: number): number {
    const wx = (x - this.view.x) / this.view.scale, wy = (y - this.view.y) / this.view.scale;
    return this.visible().find((index) => {
      const [left, top] = this.place(index);
      return wx >= left && wx <= left + WIDTH && wy >= top && wy <= top + HEIGHT;
    }) ?? -1;
  }

  private visible(): number[] {
    const {x, y, scale} = this.view;
    const left = -x / scale - WIDTH, top = -y / scale - HEIGHT;
    const right = left + this.canvas.clientWidth / scale + WIDTH, bottom = top + this.canvas.clientHeight / scale + HEIGHT;
    const found: number[] = [];
    for (const [key, cell] of this.cells) {
      const [cx, cy] = key.split(',').map(Number);
      if ((cx + 1) * STEP_X * 8 < left || cx * STEP_X * 8 > right || (cy + 1) * STEP_Y * 16 < top || cy * STEP_Y * 16 > bottom) continue;
      for (const index of cell) {
        const px = this.xs[index], py = this.ys[index];
        if (px >= left && px <= right && py >= top && py <= bottom) found.push(index);
      }
    }
    return found;
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const paint = this.canvas.getContext('2d')!;
    const color = colors();
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, width, height);
    paint.translate(this.view.x, this.view.y);
    paint.scale(this.view.scale, this.view.scale);
    const seen = this.visible();
    this.drawEdges(paint, seen, color.line, color.accent);
    if (this.view.scale < TEXT_FROM) this.drawMarks(paint, seen, color);
    else for (const index of seen) this.drawTask(paint, index, color);
    ++this.frames;
  }

  private drawEdges(paint: CanvasRenderingContext2D, seen: number[], line: string, accent: string) {
    const drawn = new Set<number>();
    const curved = this.view.scale >= 0.15;
    paint.lineWidth = Math.max(1, 0.6 / this.view.scale);
    paint.strokeStyle = line;
    paint.beginPath();
    const bright: number[] = [];
    if (seen.length > CROWD) {
      // From afar lines are a texture: some of them say as much as all.
      const step = Math.ceil(this.graph.edges.length / CROWD);
      for (let edge = 0; edge < this.graph.edges.length; edge += step) this.trace(paint, ...this.graph.edges[edge], false);
    } else for (const index of seen) {
      for (const edge of this.edgesOf[index]) {
        if (drawn.has(edge)) continue;
        drawn.add(edge);
        const [from, to] = this.graph.edges[edge];
        if (from === this.selected || to === this.selected) { bright.push(edge); continue; }
        this.trace(paint, from, to, curved);
      }
    }
    paint.stroke();
    paint.strokeStyle = accent;
    paint.beginPath();
    for (const edge of bright) this.trace(paint, ...this.graph.edges[edge], curved);
    paint.stroke();
  }

  private trace(paint: CanvasRenderingContext2D, from: number, to: number, curved: boolean) {
    const [fx, fy] = this.place(from), [tx, ty] = this.place(to);
    const x0 = fx + WIDTH, y0 = fy + HEIGHT / 2, y1 = ty + HEIGHT / 2;
    paint.moveTo(x0, y0);
    if (curved) paint.bezierCurveTo(x0 + GAP_X / 2, y0, tx - GAP_X / 2, y1, tx, y1);
    else paint.lineTo(tx, y1);
  }

  private drawMarks(paint: CanvasRenderingContext2D, seen: number[], color: ReturnType<typeof colors>) {
    const {x: left, y: top, scale} = this.view;
    const high = Math.max(HEIGHT, 1 / scale);  // one pixel at least
    const wide = this.canvas.clientWidth + 1, tall = this.canvas.clientHeight + 1;
    if (this.pixels.length !== wide * tall) { this.pixels = new Int32Array(wide * tall); this.pass = 0; }
    const byLetter = new Map<string, number[]>();
    for (const index of seen) {
      const letter = this.states[index] ?? 'p';
      const list = byLetter.get(letter);
      if (list) list.push(index); else byLetter.set(letter, [index]);
    }
    // What matters most is painted last, over the rest; of tasks that share a pixel one is enough.
    for (const letter of [...byLetter.keys()].sort((a, b) => PAINTED.indexOf(a) - PAINTED.indexOf(b))) {
      paint.fillStyle = color.fill[letter] ?? color.line;
      ++this.pass;
      for (const index of byLetter.get(letter)!) {
        const x = this.xs[index], y = this.ys[index];
        const pixel = Math.max(0, Math.min(tall - 1, Math.round(y * scale + top))) * wide + Math.max(0, Math.min(wide - 1, Math.round(x * scale + left)));
        if (this.pixels[pixel] === this.pass) continue;
        this.pixels[pixel] = this.pass;
        paint.fillRect(x, y, WIDTH, high);
      }
    }
    paint.strokeStyle = color.accent;
    paint.lineWidth = 2 / this.view.scale;
    for (const index of this.found) paint.strokeRect(this.place(index)[0], this.place(index)[1], WIDTH, high);
    if (this.selected >= 0) this.drawTask(paint, this.selected, color);
  }

  private drawTask(paint: CanvasRenderingContext2D, index: number, color: ReturnType<typeof colors>) {
    const [x, y] = this.place(index);
    const [id, agent] = this.graph.tasks[index];
    const letter = this.states[index] ?? 'p';
    const mark = 'pyb'.includes(letter) ? color.muted : color.fill[letter] ?? color.muted;
    paint.fillStyle = color.panel;
    const bright = index === this.selected || this.found.has(index);
    paint.strokeStyle = bright ? color.accent : mark;
    paint.lineWidth = bright ? 3 : letter === 'r' ? 2 : 1;
    paint.setLineDash(letter === 'p' || letter === 's' ? [4, 3] : []);
    paint.beginPath();
    paint.roundRect(x, y, WIDTH, HEIGHT, 6);
    paint.fill();
    paint.stroke();
    paint.setLineDash([]);
    paint.fillStyle = mark;
    paint.font = '14px ' + FONT;
    paint.textBaseline = 'middle';
    paint.fillText(symbolOf(letter), x + 9, y + HEIGHT / 2, 14);
    paint.fillStyle = color.text;
    paint.font = '13px ' + FONT;
    paint.fillText(short(paint, id, WIDTH - 36), x + 28, y + 14);
    paint.fillStyle = color.muted;
    paint.font = '11px ' + FONT;
    paint.fillText(short(paint, agent, WIDTH - 36), x + 28, y + 29);
  }
}

const ORDER = 'rhvifycpbsx';
const PAINTED = 'xspbycivhrf';
const CROWD = 2500;
const shortened = new Map<string, string>();
function short(paint: CanvasRenderingContext2D, text: string, room: number): string {
  const key = paint.font + text;
  let known = shortened.get(key);
  if (known === undefined) {
    known = text;
    while (known.length > 1 && paint.measureText(known).width > room) known = known.slice(0, known.endsWith('…') ? -2 : -1) + '…';
    if (shortened.size > 50000) shortened.clear();
    shortened.set(key, known);
  }
  return known;
}

export function GraphView({graph, states, selected, select}: {graph: Graph; states: string; selected: string; select: (task: string) => void}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<GraphPainter | undefined>(undefined);
  const waiting = useRef(false);
  const [find, setFind] = useState('');
  const [hits, setHits] = useState<number[]>([]);
  const next = useRef(0);

  const redraw = () => {
    if (waiting.current) return;
    waiting.current = true;
    requestAnimationFrame(() => { waiting.current = false; painter.current?.draw(); });
  };

  useEffect(() => {
    const element = canvas.current!;
    const old = painter.current;
    painter.current = new GraphPainter(element, graph);
    (window as any).agenttalkGraph = painter.current;  // for tests and for whoever is curious
    if (old?.moved) Object.assign(painter.current, {view: old.view, moved: true}); else painter.current.fit();
    const pointers = new Map<number, {x: number; y: number}>();
    let moved = false;
    const where = (event: PointerEvent | WheelEvent) => { const box = element.getBoundingClientRect(); return {x: event.clientX - box.left, y: event.clientY - box.top}; };
    const down = (event: PointerEvent) => { element.setPointerCapture(event.pointerId); pointers.set(event.pointerId, where(event)); moved = false; };
    const move = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = where(event);
      if (pointers.size === 2) {
        const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)![1];
        const far = (p: {x: number; y: number}) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
        painter.current!.zoom(far(now) / far(before), other.x, other.y);
      } else {
        painter.current!.moved = true;
        painter.current!.view.x += now.x - before.x;
        painter.current!.view.y += now.y - before.y;
      }
      if (Math.hypot(now.x - before.x, now.y - before.y) > 2) moved = true;
      pointers.set(event.pointerId, now);
      redraw();
    };
    const up = (event: PointerEvent) => {
      pointers.delete(event.pointerId);
      if (moved || event.type === 'pointercancel') return;
      const point = where(event);
      const hit = painter.current!.at(point.x, point.y);
      if (hit >= 0) select(graph.tasks[hit][0]);
    };
    const wheel = (event: WheelEvent) => { event.preventDefault(); const p = where(event); painter.current!.zoom(Math.exp(-event.deltaY / 400), p.x, p.y); redraw(); };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    element.addEventListener('wheel', wheel, {passive: false});
    const hover = (event: PointerEvent) => {
      const point = where(event);
      const hit = event.buttons ? -1 : painter.current!.at(point.x, point.y);
      element.title = hit < 0 ? '' : `${graph.tasks[hit][0]} · ${graph.tasks[hit][1]} · ${wordOf(painter.current!.states[hit] ?? 'p')}`;
    };
    element.addEventListener('pointermove', hover);
    const size = new ResizeObserver(() => { if (!painter.current!.moved) painter.current!.fit(); redraw(); });
    size.observe(element);
    addEventListener('shade', redraw);
    redraw();
    return () => {
      size.disconnect();
      removeEventListener('shade', redraw);
      element.removeEventListener('pointermove', hover);
      element.removeEventListener('pointerdown', down); element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up); element.removeEventListener('pointercancel', up);
      element.removeEventListener('wheel', wheel);
    };
  }, [graph]);

  useEffect(() => {
    if (!painter.current) return;
    painter.current.states = states;
    painter.current.selected = graph.tasks.findIndex((task) => task[0] === selected);
    redraw();
  }, [graph, states, selected]);

  const search = (text: string) => {
    setFind(text);
    next.current = 0;
    const wanted = text.trim().toLowerCase();
    const found: number[] = [];
    if (wanted) graph.tasks.forEach((task, index) => { if ((task[0] + ' ' + task[1]).toLowerCase().includes(wanted)) found.push(index); });
    setHits(found);
    painter.current!.found = new Set(found);
    redraw();
  };
  const show = (event: Event) => {
    event.preventDefault();
    if (!hits.length) return;
    painter.current!.center(hits[next.current++ % hits.length]);
    redraw();
  };

  const key = (event: KeyboardEvent) => {
    const p = painter.current!;
    const steps: Record<string, [number, number]> = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]};
    if (steps[event.key]) { p.moved = true; p.view.x += steps[event.key][0]; p.view.y += steps[event.key][1]; }
    else if (event.key === '+' || event.key === '=') p.zoom(1.25, canvas.current!.clientWidth / 2, canvas.current!.clientHeight / 2);
    else if (event.key === '-') p.zoom(0.8, canvas.current!.clientWidth / 2, canvas.current!.clientHeight / 2);
    else if (event.key === '0') p.fit();
    else return;
    event.preventDefault();
    redraw();
  };

  const counts = [...new Set(states)].map((letter) => `${states.split(letter).length - 1} ${wordOf(letter)}`).join(', ');
  return (
    <div class="graph">
      <canvas ref={canvas} tabIndex={0} role="img" aria-label={`${t('graph')}: ${graph.tasks.length} ${t('tasks')}: ${counts}`} onKeyDown={key} />
      <form class="over" role="search" onSubmit={show}>
        <label><span class="hidden">{t('searchTasks')}</span><input type="search" placeholder={t('searchTasks')} value={find} onInput={(event) => search(event.currentTarget.value)} /></label>
        <span class="muted" role="status">{find.trim() ? count(hits.length) : ''}</span>
        <button type="button" class="quiet" onClick={() => { painter.current?.fit(); redraw(); }}>{t('zoomFit')}</button>
      </form>
      <p class="legend" aria-hidden="true">{[...new Set(states)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)).map((letter) => <span class={'badge s-' + letter}>{symbolOf(letter)} {wordOf(letter)}</span>)}</p>
    </div>
  );
}
