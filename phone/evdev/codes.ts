/** Numbers of Linux's input subsystem (input-event-codes.h), as far as phones' touch screens and buttons use them. */
export const EvType = { SYN: 0, KEY: 1, ABS: 3 } as const;

export const SYN_REPORT = 0;

export const EvKey = {
  KEY_VOLUMEDOWN: 0x72,
  KEY_VOLUMEUP: 0x73,
  KEY_POWER: 0x74,
  BTN_TOUCH: 0x14a,
} as const;

/** Axes of multitouch protocol B: events after a slot's number are about the finger in that slot. */
export const EvAbs = {
  ABS_MT_SLOT: 0x2f,
  ABS_MT_TOUCH_MAJOR: 0x30,
  ABS_MT_POSITION_X: 0x35,
  ABS_MT_POSITION_Y: 0x36,
  ABS_MT_TOOL_TYPE: 0x37,
  ABS_MT_TRACKING_ID: 0x39,
  ABS_MT_PRESSURE: 0x3a,
} as const;

/** The tracking id of a slot whose finger has left. */
export const NO_FINGER = -1;
