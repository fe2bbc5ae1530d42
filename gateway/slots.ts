import type { EdgeLimits } from './limits.js';

/**
 * The texts in the documentation that depend on an operator's settings. The files of the documentation are the same for every
 * installation. A file has a slot in the place of each such text, and the gateway fills the slots when it reads the file.
 */
export interface SlotTexts {
  /** The origin at which customers reach the service; `/` stands for the origin from which the file was loaded. */
  origin: string;
  /** The requests that one key may make in a minute. The grouped text has commas, as in 1,200. */
  keyRequests: string;
  keyRequestsGrouped: string;
  /** The requests that may be made for one device in a minute. */
  deviceRequests: string;
  deviceRequestsGrouped: string;
  /** The requests that one account may make in a minute. */
  accountRequests: string;
}

/** Returns the texts of an installation. */
export function slotTexts(
  { maxKeyRequests, maxDeviceRequests, maxAccountRequests }: EdgeLimits,
  publicUrl: URL | undefined,
): SlotTexts {
  return {
    origin: publicUrl?.origin ?? '/',
    keyRequests: String(maxKeyRequests),
    keyRequestsGrouped: maxKeyRequests.toLocaleString('en-US'),
    deviceRequests: String(maxDeviceRequests),
    deviceRequestsGrouped: maxDeviceRequests.toLocaleString('en-US'),
    accountRequests: String(maxAccountRequests),
  };
}

/** The slots: each field has the slot that stands for its text. A slot needs no escapes in YAML, JSON or HTML. */
export const SLOTS: SlotTexts = {
  origin: '⟦origin⟧',
  keyRequests: '⟦keyRequests⟧',
  keyRequestsGrouped: '⟦keyRequestsGrouped⟧',
  deviceRequests: '⟦deviceRequests⟧',
  deviceRequestsGrouped: '⟦deviceRequestsGrouped⟧',
  accountRequests: '⟦accountRequests⟧',
};

/** Returns the text with its slots filled. Brackets around any other word stay as they are. */
export function fillSlots(text: string, texts: SlotTexts): string {
  return text.replace(/⟦(\w+)⟧/g, (whole, name: string) =>
    Object.hasOwn(texts, name) ? texts[name as keyof SlotTexts] : whole,
  );
}
