import { expect } from 'chai';
import type { WatchedPhone } from './watched-phone.js';
import { VideoFeed } from './video-feed.js';
import type { VideoViewer } from './video/live-video.js';
import type { VideoUnit } from './video/video-unit.js';

describe('the video for one viewer', () => {
  it('requests a key frame for one that was too slow to take its first', () => {
    let viewer: VideoViewer | undefined;
    let requests = 0;
    const video = {
      watch: (added: VideoViewer) => {
        viewer = added;
        return () => undefined;
      },
      wantKey: () => {
        requests++;
      },
    };
    const feed = new VideoFeed({ video } as unknown as WatchedPhone, { maxSize: 720, fps: 20 }, () => undefined);
    const configuration = { codec: 'avc1.42C01F', width: 720, height: 1280, data: Buffer.alloc(0) };
    const unit = (cameMs: number, isKey = false): VideoUnit => ({
      data: Buffer.alloc(9),
      isKey,
      configuration,
      cameMs,
    });
    viewer?.units.push(unit(0, true));
    expect(feed.next()).to.include({ beganMs: 0 });
    // The feed looks its screen up meanwhile.
    viewer?.units.push(unit(1_000));
    expect(feed.next()).to.equal(undefined);
    expect(requests).to.equal(1);
  });

  it('is over for one that begins while the display is off, and goes on for one that has begun', async () => {
    const viewers: VideoViewer[] = [];
    const video = {
      isAsleep: false,
      isOffered: true,
      watch: (added: VideoViewer) => {
        viewers.push(added);
        return () => undefined;
      },
      wantKey: () => undefined,
    };
    const feedOf = (): VideoFeed =>
      new VideoFeed({ video } as unknown as WatchedPhone, { maxSize: 720, fps: 20 }, () => undefined);
    const early = feedOf();
    const configuration = { codec: 'avc1.42C01F', width: 720, height: 1280, data: Buffer.alloc(0) };
    viewers[0]?.units.push({ data: Buffer.alloc(9), isKey: true, configuration, cameMs: 0 });
    const ready = early.next();
    if (typeof ready === 'object') await ready.take();
    const late = feedOf();
    expect([early.isOver, late.isOver]).to.deep.equal([false, false]);
    video.isAsleep = true;
    expect([early.isOver, late.isOver]).to.deep.equal([false, true]);
  });
});
