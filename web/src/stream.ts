// The events of the hub. One stream per browser: browsers open only a few connections to a host, so that the pages of one
// browser share a stream. The page that holds the lock reads it and passes it on; when that page is closed, another takes over.

// [number, type, plan, task, command]
export type EventItem = [number, string, string, string, string];

export interface Frame {
  last: number;
  plans: string[] | null;  // null: anything may have changed
  events: EventItem[];
  skipped: number;
  asks: boolean;  // a question was asked or closed
}

type Listener = (frame: Frame) => void;
type Message = {frame: Frame} | {connected: boolean} | {who: true};

class Stream {
  private readonly listeners = new Set<Listener>();
  private readonly channel = 'BroadcastChannel' in window ? new BroadcastChannel('agenttalk-stream') : undefined;
  private source?: EventSource;
  private started = false;
  connected = true;
  last = 0;  // the event up to which frames have come
  onState: () => void = () => {};

  start() {
    if (this.started) return;
    this.started = true;
    // Without a secure context there are no locks; then every page has a stream of its own.
    if (!navigator.locks || !this.channel) return this.read();
    this.channel.onmessage = (message) => this.hear(message.data as Message);
    this.channel.postMessage({who: true});
    navigator.locks.request('agenttalk-stream', () => {
      this.read();
      return new Promise(() => {});  // until the page is closed
    });
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private hear(message: Message) {
    if ('frame' in message) this.pass(message.frame);
    else if ('connected' in message) this.become(message.connected);
    else if (this.source) this.channel?.postMessage({connected: this.connected});
  }

  // The browser connects again by itself and says which event it saw last; what it missed comes as a frame that says
  // that anything may have changed.
  private read() {
    this.source = new EventSource('/v1/stream');
    this.source.onopen = () => this.tell(true);
    this.source.onerror = () => {
      this.tell(false);
      if (this.source?.readyState === EventSource.CLOSED) this.again();
    };
    this.source.onmessage = (message) => {
      const frame = JSON.parse(message.data) as Frame;
      this.channel?.postMessage({frame});
      this.pass(frame);
    };
  }

  // A browser gives up for good when a proxy or a restart answers in an odd way.
  private again() {
    this.source?.close();
    setTimeout(() => this.read(), 1000);
  }

  private tell(connected: boolean) {
    this.channel?.postMessage({connected});
    this.become(connected);
  }

  private pass(frame: Frame) {
    this.last = frame.last;
    for (const listener of [...this.listeners]) listener(frame);
  }

  private become(connected: boolean) {
    if (this.connected === connected) return;
    this.connected = connected;
    this.onState();
  }
}

export const stream = new Stream();
