/** The conditions that a phone is made to see in place of its own. Conditions that are absent are the phone's own. */
export interface PhoneConditions {
  location?: PhoneLocation;
  battery?: PhoneBattery;
  network?: PhoneNetworkQuality;
}

export interface PhoneLocation {
  /** Degrees, -90 to 90 and -180 to 180. */
  latitude: number;
  longitude: number;
  /** Metres above the sea. Absent: 0. */
  altitude?: number;
  /** Metres. Absent: that of the phone's receiver. */
  accuracy?: number;
}

export interface PhoneBattery {
  /** Percent, 0 to 100. */
  level: number;
  charging: boolean;
}

export interface PhoneNetworkQuality {
  /** Added to each round trip, ms. */
  latencyMs: number;
  /** The fraction that gets lost, 0 to 1. */
  loss: number;
  /** Most in each direction, kilobits a second. Absent: no bound. */
  kbps?: number;
}

export const CONDITION_WORDS = ['location', 'battery', 'network'] as const satisfies (keyof PhoneConditions)[];

export type ConditionWord = (typeof CONDITION_WORDS)[number];

/** Fields that some kinds of phone lack, although they offer the condition. */
export type ConditionField = 'location.accuracy' | 'network.loss';
