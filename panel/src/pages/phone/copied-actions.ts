import type { Device } from '../../api/client.ts';
import {
  deletePhone,
  readElements,
  restartPhone,
  startPhone,
  stopPhone,
  takePicture,
  takeSnapshot,
} from '../../api/phone-requests.ts';
import type { CopiedAction } from '../../copy/copy-as-button.tsx';

/** Returns the actions of a phone's page that can be copied as code. They depend on the phone's state. */
export function copiedActions({ name, state }: Device): CopiedAction[] {
  const whileOn: CopiedAction[] = [
    { label: 'Take a picture', send: (api) => takePicture(api, name), file: `${name}.png` },
    { label: 'Read the screen', send: (api) => readElements(api, name) },
    { label: 'Restart', send: (api) => restartPhone(api, name) },
    { label: 'Stop', send: (api) => stopPhone(api, name) },
  ];
  return [
    ...(state === 'running'
      ? whileOn
      : [{ label: 'Start', send: (api) => startPhone(api, name) } satisfies CopiedAction]),
    { label: 'Take a snapshot', send: (api) => takeSnapshot(api, name, '') },
    { label: 'Delete', send: (api) => deletePhone(api, name) },
  ];
}
