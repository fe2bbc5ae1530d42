import { CommandFailure } from '../../command.js';

/** The version of the server that the phone simulates. Clients name theirs and are refused when it is another one. */
export const SERVER_VERSION = '3.3.3';

export interface ServerOptions {
  socket: string;
  video: boolean;
  audio: boolean;
  control: boolean;
  /** Longest side of the video, pixels. 0: that of the screen. */
  maxSize: number;
  maxFps: number;
  bitRate: number;
  sendDeviceMeta: boolean;
  sendCodecMeta: boolean;
  sendDummyByte: boolean;
  clipboardAutosync: boolean;
}

const MAX_FPS = 60;
const MAX_SIZE_PX = 4_096;
const MAX_BIT_RATE_BPS = 100_000_000;

/** Parses `key=value` words as the server does. Throws CommandFailure for values with which it cannot run. */
export function parseServerOptions(words: readonly string[]): ServerOptions {
  const values = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 0) throw failure(`Invalid key=value pair: "${word}"`);
    values.set(word.slice(0, at), word.slice(at + 1));
  }
  const flag = (name: string, absent: boolean): boolean => {
    const value = values.get(name);
    return value === undefined ? absent : value === 'true';
  };
  const number = (name: string, absent: number, most: number): number => {
    const value = values.get(name) ?? String(absent);
    if (!/^\d{1,9}(\.\d+)?$/.test(value)) throw failure(`Invalid value for ${name}: ${value}`);
    return Math.min(Number(value), most);
  };
  const scid = values.get('scid') ?? '';
  if (!/^([0-7]?[0-9a-f]{1,7})?$/i.test(scid)) throw failure(`scid may not be negative: ${scid}`);
  if (!flag('tunnel_forward', false)) throw failure('Connection refused');
  if (!flag('send_frame_meta', true) || flag('raw_stream', false)) throw failure('raw streams are not supported');
  const codec = values.get('video_codec') ?? 'h264';
  if (codec !== 'h264') throw failure(`Could not create default video encoder for ${codec}`);
  return {
    socket: scid === '' || scid === '-1' ? 'localabstract:scrcpy' : `localabstract:scrcpy_${scid.padStart(8, '0')}`,
    video: flag('video', true),
    audio: flag('audio', true),
    control: flag('control', true),
    maxSize: number('max_size', 0, MAX_SIZE_PX),
    maxFps: Math.max(1, number('max_fps', MAX_FPS, MAX_FPS) || MAX_FPS),
    bitRate: Math.max(100_000, number('video_bit_rate', 8_000_000, MAX_BIT_RATE_BPS)),
    sendDeviceMeta: flag('send_device_meta', true),
    sendCodecMeta: flag('send_codec_meta', true),
    sendDummyByte: flag('send_dummy_byte', true),
    clipboardAutosync: flag('clipboard_autosync', true),
  };
}

export function failure(message: string): CommandFailure {
  return new CommandFailure(`[server] ERROR: ${message}`, { bare: true });
}
