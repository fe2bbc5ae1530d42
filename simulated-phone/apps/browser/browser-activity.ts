import { Cancellation } from '../../../kit/async/within.js';
import { parseUrl } from '../../../kit/text/parse-url.js';
import { iconButton } from '../../ui/button.js';
import { column, overlay, row } from '../../ui/containers.js';
import { edit } from '../../ui/edit-field.js';
import { icon } from '../../ui/image-view.js';
import { ProgressSpinner } from '../../ui/progress.js';
import { scroll } from '../../ui/scroll.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { systemProxy } from '../../network/system-proxy.js';
import { readablePage, type PageBlock, type ReadablePage } from '../../network/readable-page.js';
import { History } from './history.js';
import { loadFailure, type LoadFailure } from './load-failure.js';
import { isFileUrl, readPageFile } from './page-file.js';

const MAX_PAGE_BYTES = 1024 * 1024;

/** Returns the activity of a browser that shows pages as text: title, headings, paragraphs and links that can be followed. */
export function browserActivity(context: AppContext): Activity {
  const history = new History(context.files);
  const visited: string[] = [];
  let load: Cancellation | undefined;
  const body = overlay({ width: 'fill', share: 1 }, [startPage()]);
  const address = edit({
    id: 'url_bar',
    hint: 'Search or type web address',
    fieldStyle: 'pill',
    share: 1,
    padding: [11, 18],
    enterAction: 'go',
    onEnter: () => go(address.text),
  });
  const reload = iconButton({
    id: 'reload',
    icon: 'refresh',
    description: 'Reload',
    onClick: () => {
      const url = visited.at(-1);
      if (url !== undefined) open(url);
    },
  });

  const go = (typed: string): void => {
    const url = addressOf(typed);
    if (url === undefined) {
      show(failurePage({ code: 'ERR_INVALID_URL', title: 'This is not a web address', detail: typed }));
      return;
    }
    visited.push(url);
    open(url);
  };
  const open = (url: string): void => {
    load?.abort();
    const mine = new Cancellation([context.signal]);
    load = mine;
    address.text = url;
    context.focus(undefined);
    show(
      overlay({ width: 'fill', height: 'fill' }, [
        new ProgressSpinner({
          id: 'progress',
          description: 'Loading',
          startMs: context.clock.monotonicMs(),
          place: ['center', 'center'],
        }),
      ]),
    );
    const display = (source: string, type: string): void => {
      const page = toPage(source, type, url);
      show(pageView(page, go));
      context.run(history.add({ url, title: page.title, timeMs: context.clock.now() }), () => undefined);
    };
    const fail = (error: unknown, byProxy: boolean): void => show(failurePage(loadFailure(error, url, { byProxy })));
    if (isFileUrl(url)) {
      context.run(
        readPageFile(context.files, url, MAX_PAGE_BYTES).finally(() => mine.end()),
        ({ text: source, type }) => {
          if (load === mine) display(source, type);
        },
        (error) => {
          if (load === mine) fail(error, false);
        },
      );
      return;
    }
    const { settings } = context;
    if (settings.get('global', 'airplane_mode_on') === '1' || settings.get('global', 'wifi_on') === '0') {
      show(failurePage({ code: 'ERR_INTERNET_DISCONNECTED', title: 'No internet', detail: 'Wi-Fi is off' }));
      return;
    }
    const { signal } = mine;
    const proxy = systemProxy(settings);
    context.run(
      context.network
        .fetchText(url, { maxBytes: MAX_PAGE_BYTES, signal, ...(proxy !== undefined && { proxy }) })
        .finally(() => mine.end()),
      ({ text: source, type }) => {
        if (load === mine) display(source, type);
      },
      (error) => {
        if (load === mine) fail(error, proxy !== undefined);
      },
    );
  };
  const show = (view: View): void => body.setChildren([view]);

  return {
    content: column({ width: 'fill', height: 'fill' }, [
      row({ id: 'toolbar', width: 'fill', padding: [6, 4, 6, 12], gap: 2 }, [address, reload]),
      body,
    ]),
    onOpen: () => {
      if (context.data !== undefined) go(context.data);
    },
    onBack: () => {
      if (visited.length === 0) return false;
      visited.pop();
      const before = visited.at(-1);
      if (before === undefined) {
        load?.abort();
        load = undefined;
        address.text = '';
        show(startPage());
      } else open(before);
      return true;
    },
    onDestroy: () => load?.abort(),
  };
}

/** Returns the typed text as a URL; undefined when it cannot be one. */
function addressOf(typed: string): string | undefined {
  const trimmed = typed.trim();
  if (trimmed === '') return undefined;
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  return parseUrl(url)?.href;
}

function toPage(source: string, type: string, url: string): ReadablePage {
  if (/html/i.test(type)) return readablePage(source, url);
  const blocks = source
    .split(/\n\s*\n/, 200)
    .map((paragraph): PageBlock => ({ kind: 'paragraph', text: paragraph.trim() }));
  return { title: '', blocks: blocks.filter(({ text: words }) => words !== ''), cut: false };
}

function pageView(page: ReadablePage, go: (url: string) => void): View {
  const views = page.blocks.map((block) => blockView(block, go));
  if (page.title !== '')
    views.unshift(text(page.title, { id: 'page_title', size: 26, weight: 500, margin: [0, 0, 6, 0] }));
  if (views.length === 0) views.push(text('This page has no text', { id: 'empty_page', color: theme.textFaint }));
  if (page.cut) views.push(text('The page goes on, but no more of it is shown.', { size: 13, color: theme.textFaint }));
  return scroll(
    { id: 'page', width: 'fill', height: 'fill', background: theme.card },
    column({ width: 'fill', padding: [18, 20, 32, 20], gap: 12 }, views),
  );
}

function blockView(block: PageBlock, go: (url: string) => void): View {
  const { href } = block;
  switch (block.kind) {
    case 'heading':
      return text(block.text, { size: 20, weight: 500, margin: [8, 0, 0, 0] });
    case 'item':
      return text(`•  ${block.text}`, { padding: [0, 0, 0, 10] });
    case 'link':
      return text(block.text, {
        color: theme.primary,
        padding: [4, 0],
        ...(href === undefined ? {} : { onClick: () => go(href) }),
      });
    case 'paragraph':
      return text(block.text, { color: theme.textSoft });
  }
}

function startPage(): View {
  return column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 10, padding: 32 }, [
    icon('globe', { size: 56, color: theme.outline }),
    text('Type an address to open a page', { id: 'start', size: 16, color: theme.textFaint, align: 'center' }),
  ]);
}

function failurePage({ code, title, detail }: LoadFailure): View {
  return column({ id: 'error_page', width: 'fill', height: 'fill', justify: 'center', padding: 32, gap: 10 }, [
    icon('offline', { size: 52, color: theme.textFaint }),
    text(title, { id: 'error_title', size: 22, weight: 500, margin: [8, 0, 0, 0] }),
    text(detail, { id: 'error_detail', color: theme.textSoft }),
    text(code, { id: 'error_code', size: 13, color: theme.textFaint }),
  ]);
}
