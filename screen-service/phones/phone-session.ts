import type { Call } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { KeptLink } from '../../phone/link/kept-link.js';
import type { ConnectSocket } from '../../phone/link/phone-link.js';
import { Captures } from '../capture/captures.js';
import { encodePixels, type ImageSpec, recodeJpeg } from '../capture/encode.js';
import { Images } from '../capture/images.js';
import { LiveScreen } from '../live/live-screen.js';
import { type MinicapFrame, MinicapSource } from '../capture/minicap/minicap-source.js';
import { Fingers } from '../input/touch/fingers.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';
import { Trees } from '../tree/trees.js';
import type { LocatedPhone, ReachedPhone } from './reached-phone.js';
import type { ReportPhone } from './report-phone.js';
import { createTypedSecrets, type TypedSecrets } from './typed-secrets.js';

export interface SessionParts {
  clock: Clock;
  log: Log;
  metrics: ScreenMetrics;
  connectSocket: ConnectSocket;
  limits: ScreenLimits;
  report: ReportPhone;
}

/** The state of one running phone that is kept between requests. Permissions are not kept: they are checked on every request. */
export class PhoneSession implements ReachedPhone {
  readonly phone: LocatedPhone;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScreenMetrics;
  readonly limits: ScreenLimits;
  readonly link: KeptLink;
  readonly captures: Captures;
  readonly trees: Trees;
  readonly images: Images<Pixels>;
  readonly minicap: MinicapSource;
  readonly minicapImages: Images<MinicapFrame>;
  readonly live: LiveScreen;
  readonly secrets: TypedSecrets;
  readonly fingers: Fingers;
  inputSentMs = -Infinity;

  constructor(phone: LocatedPhone, parts: SessionParts, secrets: TypedSecrets = createTypedSecrets(parts.clock)) {
    const { clock, log, metrics, connectSocket, limits, report } = parts;
    const { phoneId, host, port, identity } = phone;
    this.phone = phone;
    this.clock = clock;
    this.metrics = metrics;
    this.limits = limits;
    this.secrets = secrets;
    this.log = log.child({ phone_id: phoneId });
    this.link = new KeptLink({
      host,
      port,
      clock,
      connectSocket,
      connectTimeoutMs: limits.connectTimeoutMs,
      identity,
      onOpenFailed: (error) => report(phoneId, error),
    });
    this.captures = new Captures(this);
    this.trees = new Trees(this);
    const timed = <S>(encode: (source: S, spec: ImageSpec) => ReturnType<typeof encodePixels>) =>
      new Images<S & object>((source, spec) => metrics.encode(spec.format, () => encode(source, spec)));
    this.images = timed(encodePixels);
    this.minicapImages = timed(recodeJpeg);
    this.live = new LiveScreen(this, {
      captures: this.captures,
      toFrame: ({ pixels, beganMs }) => ({
        width: pixels.width,
        height: pixels.height,
        beganMs,
        encode: (spec) => this.images.of(pixels, spec),
      }),
      wantPushed: () => this.minicap.want(),
    });
    this.minicap = new MinicapSource(this, (frame) =>
      this.live.push({
        width: frame.width,
        height: frame.height,
        beganMs: clock.monotonicMs(),
        encode: (spec) => this.minicapImages.of(frame, spec),
      }),
    );
    this.fingers = new Fingers(this);
  }

  command({ signal }: Pick<Call, 'signal'>, command: string, doing: string) {
    const { commandTimeoutMs: timeoutMs, commandMaxBytes: maxBytes } = this.limits;
    return this.link.shell(command, { timeoutMs, maxBytes, doing, signal });
  }

  /** Closes the connection after the running commands. Requests that still hold the session can use it. */
  release(): void {
    this.minicap.stop();
    this.captures.close();
    this.fingers.close();
    this.link.release();
  }

  /** Closes the connection; running commands fail. */
  close(): void {
    this.minicap.stop();
    this.captures.close();
    this.fingers.close();
    this.link.close();
  }
}
