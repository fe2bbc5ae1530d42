/** A browser without pictures: it follows redirects, keeps cookies for each site, and sends the forms of pages. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** The page that is shown. */
  url = '';
  #page = '';

  /** The cookie of a site; undefined when it has none of this name. */
  cookie(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  /** Shows a page. Redirects are followed until a path that begins with `until`, which is not loaded. */
  async open(url: string, until?: string, body?: URLSearchParams): Promise<void> {
    let next = new URL(url);
    let form = body;
    for (let hops = 0; hops < 20; hops++) {
      this.url = next.href;
      if (until !== undefined && next.pathname.startsWith(until)) return;
      const response = await this.#fetch(next, form === undefined ? {} : { method: 'POST', body: form });
      this.#page = await response.text();
      const location = response.headers.get('location');
      if (location === null) return;
      next = new URL(location, next);
      form = undefined;
    }
    throw new Error(`more than 20 redirects, the last one to ${next.href}`);
  }

  /** Sends JSON, as a script of the page does, and returns the response's. */
  async post(url: string, json: unknown): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json' };
    const response = await this.#fetch(new URL(url), { method: 'POST', headers, body: JSON.stringify(json) });
    return (await response.json()) as Record<string, unknown>;
  }

  async #fetch(
    url: URL,
    request: { method?: string; headers?: Record<string, string>; body?: string | URLSearchParams },
  ): Promise<Response> {
    const cookies = this.#cookies.get(url.origin) ?? new Map<string, string>();
    this.#cookies.set(url.origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...request, headers: { ...request.headers, cookie }, redirect: 'manual' });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '' || /max-age=0\b/i.test(text)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  /** Sends the form of the page, with more fields. */
  async send(fields: Record<string, string>, until?: string): Promise<void> {
    const action = /<form[^>]*action="([^"]+)"/.exec(this.#page)?.[1];
    if (action === undefined) throw new Error(`no form at ${this.url}: ${this.#page.slice(0, 500)}`);
    const hidden = [...this.#page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const own = hidden.map(([, name = '', value = '']) => [name, value] as const);
    await this.open(
      new URL(action, this.url).href,
      until,
      new URLSearchParams({ ...Object.fromEntries(own), ...fields }),
    );
  }
}
