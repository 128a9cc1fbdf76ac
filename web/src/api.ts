// The hub as the page sees it: methods (POST /v1/<method>) and files.

export type Json = any;

export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly hint: string) {
    super(message);
  }
}

// `seen`: an answer that knows of this event will do, also one that another page was given a moment ago.
export async function call(method: string, parameters: object = {}, seen = 0): Promise<Json> {
  const answer = await fetch('/v1/' + method + (seen ? '?seen=' + seen : ''), {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(parameters),
  });
  const value = await answer.json().catch(() => null);
  if (answer.ok) return value;
  const error = value?.error ?? {};
  throw new Refused(answer.status, error.code ?? '', error.message ?? answer.statusText, error.hint ?? '');
}

// Not crypto.randomUUID: it is missing where the page is served without TLS to another machine.
export function unique(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// A request that changes something. It may be sent again when the connection breaks: the hub knows it by its id.
export async function change(method: string, parameters: object = {}): Promise<Json> {
  const client_id = 'page-' + unique();
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

export async function textOf(plan: string, name: string, version: string): Promise<string> {
  const answer = await call('file', {plan_id: plan, name, version});
  const bytes = Uint8Array.from(atob(answer.content_base64), (c) => c.charCodeAt(0));
  return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
}

async function encoded(file: globalThis.File): Promise<{name: string; content_base64: string}> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return {name: file.name, content_base64: btoa(text)};
}

export const encodeFiles = (files: FileList | null) => Promise.all([...(files ?? [])].map(encoded));
