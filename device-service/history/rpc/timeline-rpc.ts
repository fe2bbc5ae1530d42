import type { IncomingMessage } from 'node:http';
import type { ServiceImpl } from '@connectrpc/connect';
import accepts from 'accepts';
import { callerOf } from '../../../kit/rpc/context.js';
import type { TimelineService } from '../../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { entryMessage } from '../timeline/entry-message.js';
import { timelineText } from '../timeline/entry-text.js';
import { exportTimeline } from '../timeline/export-timeline.js';
import { keepEntries } from '../timeline/keep-entries.js';
import { findPicture, listTimeline } from '../timeline/list-timeline.js';
import type { HistoryContext } from '../history-context.js';

/** Adapts the operations of timelines to their rpcs. */
export function timelineRpc(parts: HistoryContext): ServiceImpl<typeof TimelineService> {
  const webp = (data: Buffer) => ({ picture: { contentType: 'image/webp', data } });
  return {
    listTimeline: async (request, context) => {
      const { items, ...page } = await listTimeline(parts, callerOf(context), request);
      if (!prefersText(request.accept)) {
        return { entries: items.map((entry) => entryMessage(entry, request.name)), ...page };
      }
      const data = Buffer.from(timelineText(items.toReversed()), 'utf8');
      return { text: { contentType: 'text/plain; charset=utf-8', data } };
    },
    getTimelineBefore: async (request, context) => webp(await findPicture(parts, callerOf(context), request, 'before')),
    getTimelineAfter: async (request, context) => webp(await findPicture(parts, callerOf(context), request, 'after')),
    deleteTimeline: async ({ name }, context) => {
      const { _id } = await findDeviceToChange(parts.devices, callerOf(context), name);
      await parts.timelineRoom.removeOfPhone(_id);
      return {};
    },
    exportTimeline: async (request, context) => ({ file: await exportTimeline(parts, callerOf(context), request) }),
    keepTimeline: async ({ entries }) => {
      await keepEntries(parts, entries);
      return {};
    },
  };
}

function prefersText(accept: string | undefined): boolean {
  const headers = { accept: accept ?? 'application/json' };
  const request = { headers } as Partial<IncomingMessage> as IncomingMessage;
  return accepts(request).type(['application/json', 'text/plain']) === 'text/plain';
}
