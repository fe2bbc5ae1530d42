import { until } from '../../testing/until.js';

export interface ReadEvent {
  id: string;
  type: string;
  data: string;
}

/** A client of GET /v1/events, or of another stream by its `path`, which reads as the standard for server-sent events has it. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  /** The last id that was received, of an event or of a place. */
  lastId = '';
  retryMs: number | undefined;
  comments = 0;
  status = 0;
  body = '';
  headers = new Headers();
  isOver = false;
  readonly #abort = new AbortController();

  static async open(
    url: string,
    authorization: Record<string, string>,
    { path = '/v1/events', query = '', lastEventId }: { path?: string; query?: string; lastEventId?: string } = {},
  ): Promise<EventReader> {
    const reader = new EventReader();
    const headers = { ...authorization, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    const response = await fetch(`${url}${path}${query}`, { headers, signal: reader.#abort.signal });
    reader.status = response.status;
    reader.headers = response.headers;
    if (response.status !== 200) {
      reader.body = await response.text();
      reader.isOver = true;
      return reader;
    }
    void reader.#read(response.body as ReadableStream<Uint8Array>);
    await until(() => reader.comments > 0 || reader.isOver);
    return reader;
  }

  close(): void {
    this.#abort.abort();
  }

  /** Waits until there are so many events. */
  async have(count: number): Promise<ReadEvent[]> {
    await until(() => this.events.length >= count || this.isOver);
    return this.events;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        rest += decoder.decode(chunk, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) this.body = String(error);
    }
    this.isOver = true;
  }

  #take(block: string): void {
    let type = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === '') this.comments++;
      if (name === 'id') this.lastId = value;
      if (name === 'retry') this.retryMs = Number(value);
      if (name === 'event') type = value;
      if (name === 'data') data.push(value);
    }
    if (data.length > 0) this.events.push({ id: this.lastId, type, data: data.join('\n') });
  }
}
