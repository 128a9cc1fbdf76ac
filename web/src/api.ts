// The hub as the page sees it: methods (POST /v1/<method>) and the stream of events.

export type Json = any;

export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly hint: string) {
    super(message);
  }
}

export async function call(method: string, parameters: object = {}): Promise<Json> {
  const answer = await fetch('/v1/' + method, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(parameters),
  });
  const value = await answer.json().catch(() => null);
  if (answer.ok) return value;
  const error = value?.error ?? {};
  throw new Refused(answer.status, error.code ?? '', error.message ?? answer.statusText, error.hint ?? '');
}

// A request that changes something. It may be sent again when the connection breaks: the hub knows it by its id.
export async function change(method: string, parameters: object = {}): Promise<Json> {
  const client_id = 'page-' + crypto.randomUUID();
  for (let tries = 0; ; ++tries) {
    try {
      return await call(method, {...parameters, client_id});
    } catch (error) {
      if (error instanceof Refused || tries === 5) throw error;
      await new Promise((done) => setTimeout(done, 500 * 2 ** tries));
    }
  }
}

export function fileUrl(plan: string, name: string, version?: string): string {
  const query = new URLSearchParams({plan, name});
  if (version) query.set('version', version);
  return '/v1/file?' + query.toString().replaceAll('+', '%20');
}

// [number, type, plan, task, command]
export type EventItem = [number, string, string, string, string];

export interface Frame {
  last: number;
  plans: string[] | null;  // null: anything may have changed
  events: EventItem[];
  skipped: number;
}

type Listener = (frame: Frame) => void;

// One stream for the whole page. The browser connects again by itself and says which event it saw last, so that a
// server that was killed and started again is caught up with without a reload.
class Stream {
  private readonly listeners = new Set<Listener>();
  private source?: EventSource;
  connected = false;
  onState: () => void = () => {};

  start() {
    if (this.source) return;
    this.source = new EventSource('/v1/stream');
    this.source.onopen = () => this.become(true);
    this.source.onerror = () => {
      this.become(false);
      if (this.source?.readyState === EventSource.CLOSED) this.restart();
    };
    this.source.onmessage = (message) => {
      const frame = JSON.parse(message.data) as Frame;
      for (const listener of this.listeners) listener(frame);
    };
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private become(connected: boolean) {
    if (this.connected === connected) return;
    this.connected = connected;
    this.onState();
  }

  // A browser gives up for good when a proxy or a restart answers in an odd way.
  private restart() {
    this.source?.close();
    this.source = undefined;
    setTimeout(() => this.start(), 1000);
  }
}

export const stream = new Stream();
