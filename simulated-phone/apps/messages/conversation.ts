import { iconButton } from '../../ui/button.js';
import { column, row } from '../../ui/containers.js';
import { edit } from '../../ui/edit-field.js';
import { scroll } from '../../ui/scroll.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';
import { ThreadStore, type Message, type Thread } from './thread-store.js';

/** How long the other side takes to reply, ms. */
const REPLY_MS = 2500;

/** Returns the activity of one conversation, with the field to write in. */
export function conversation(context: AppContext): Activity {
  const store = new ThreadStore(context.files, () => context.clock.now());
  const id = context.extras['id'] ?? context.data?.replace(/^(sms|smsto):/, '') ?? 'mara';
  const title = text(id, { id: 'title', size: 19, weight: 500, maxLines: 1, share: 1 });
  const bubbles = column({ id: 'messages', width: 'fill', padding: [8, 14], gap: 6 }, []);
  const history = scroll({ width: 'fill', share: 1, stickToEnd: true }, bubbles);
  const show = (thread: Thread | undefined): void => {
    title.text = thread?.name ?? id;
    bubbles.setChildren((thread?.messages ?? []).map(bubble));
    if (thread?.replyAtMs === undefined) return;
    const waitMs = Math.max(0, thread.replyAtMs - context.clock.now());
    bubbles.setChildren([...bubbles.children, typing(thread.name)]);
    context.later(waitMs + 1, load);
  };
  const load = (): void => context.run(store.find(id), show);
  const notifyOfReply = (thread: Thread | undefined): void => {
    const last = thread?.messages.at(-1);
    if (!thread || !last || last.own || context.inFront) return;
    const target = { component: `${context.package}/.Thread` };
    context.notify({ tag: id, title: thread.name, text: last.text, target, extras: { id } });
  };
  const send = (): void => {
    const written = field.text.trim();
    if (written === '') return;
    field.text = '';
    context.run(store.send(id, written, REPLY_MS), load);
    context.later(REPLY_MS + 1, () => context.run(store.find(id), notifyOfReply));
  };
  const field = edit({
    id: 'compose',
    hint: 'Text message',
    fieldStyle: 'pill',
    width: 'fill',
    share: 1,
    enterAction: 'send',
    onEnter: send,
  });
  const sendButton = iconButton({
    id: 'send',
    icon: 'send',
    description: 'Send message',
    color: theme.primary,
    onClick: send,
  });
  const composer = row({ width: 'fill', padding: [6, 8, 8, 14], gap: 4 }, [field, sendButton]);
  return {
    content: page({
      title,
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1 }, [history, composer]),
    }),
    onResume: load,
  };
}

function bubble({ own, text: words }: Message): View {
  const body = text(words, {
    id: own ? 'message_out' : 'message_in',
    size: 15.5,
    padding: [9, 14],
    radius: 18,
    background: own ? theme.primary : theme.surfaceHigh,
    color: own ? theme.onPrimary : theme.text,
    margin: own ? [0, 0, 0, 56] : [0, 56, 0, 0],
  });
  return row({ width: 'fill', justify: own ? 'end' : 'start' }, [body]);
}

function typing(name: string): View {
  return text(`${name} is typing…`, { id: 'typing', size: 13, color: theme.textFaint, padding: [4, 8] });
}
