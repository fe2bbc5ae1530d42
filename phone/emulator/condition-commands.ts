import type { PhoneBattery, PhoneConditions, PhoneLocation, PhoneNetworkQuality } from '../conditions.js';

/** Place, battery and network of an emulator that was started with its defaults. The console has no command that removes a place. */
const OWN_LOCATION: PhoneLocation = { latitude: 37.421998, longitude: -122.084, altitude: 5 };
const OWN_BATTERY: PhoneBattery = { level: 100, charging: true };
const OWN_NETWORK: PhoneNetworkQuality = { latencyMs: 0, loss: 0 };

/** Returns the console's commands that set the conditions of `wanted`, and reset those that only `before` has to the defaults. */
export function conditionCommands(wanted: PhoneConditions, before: PhoneConditions): string[] {
  const location = wanted.location ?? (before.location && OWN_LOCATION);
  const battery = wanted.battery ?? (before.battery && OWN_BATTERY);
  const network = wanted.network ?? (before.network && OWN_NETWORK);
  return [
    ...(location === undefined ? [] : locationCommands(location)),
    ...(battery === undefined ? [] : batteryCommands(battery)),
    ...(network === undefined ? [] : networkCommands(network)),
  ];
}

/** Returns the commands for a place. The console expects the longitude first. */
function locationCommands({ latitude, longitude, altitude }: PhoneLocation): string[] {
  return [`geo fix ${[longitude, latitude, altitude ?? 0].map(decimal).join(' ')}`];
}

function batteryCommands({ level, charging }: PhoneBattery): string[] {
  const status = !charging ? 'discharging' : level === 100 ? 'full' : 'charging';
  return [`power ac ${charging ? 'on' : 'off'}`, `power status ${status}`, `power capacity ${level}`];
}

/** Returns the commands for a connection. Its speed is in kilobits a second, up and down. */
function networkCommands({ latencyMs, kbps }: PhoneNetworkQuality): string[] {
  return [
    `network delay ${latencyMs === 0 ? 'none' : latencyMs}`,
    `network speed ${kbps === undefined ? 'full' : `${kbps}:${kbps}`}`,
  ];
}

/** Writes a number without an exponent, which the console does not read. A millionth of a degree is 11 cm. */
function decimal(value: number): string {
  return value.toFixed(6);
}
