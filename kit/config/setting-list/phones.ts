import type { SettingGroup } from './setting.js';

/** Which phones a host has, and how they reach the internet. */
export const PHONES = {
  title: 'Phones',
  settings: [
    {
      name: 'PHONE_DRIVER',
      fallback: '`simulated`',
      meaning:
        'Kinds of phones of this host, separated by commas: `simulated`, `attached`, `container`, `emulator`, `kubernetes`.',
    },
    {
      name: 'PHONES_FILE',
      fallback: '(none)',
      meaning: 'Phones that exist already, for `PHONE_DRIVER=attached`: [docs/attached-phones.md](attached-phones.md).',
    },
    {
      name: 'MODELS_FILE',
      fallback: '(none)',
      meaning:
        'Models of phones that the service makes from images of Android, for `PHONE_DRIVER=container`, `emulator` and `kubernetes`: [docs/real-phones.md](real-phones.md).',
    },
    {
      name: 'ANDROID_HOME',
      fallback: '(none)',
      meaning: 'The Android SDK, for `PHONE_DRIVER=emulator`: [docs/real-phones.md](real-phones.md).',
    },
    {
      name: 'DOCKER_HOST',
      fallback: '`unix:///var/run/docker.sock`',
      meaning: "The container engine's socket, for `PHONE_DRIVER=container`: [docs/real-phones.md](real-phones.md).",
    },
    {
      name: 'PHONE_SUBNETS',
      fallback: '`10.213.0.0/16`',
      meaning: 'The addresses for networks of phones in containers.',
    },
    {
      name: 'KUBERNETES_NAMESPACE',
      fallback: '`cloudphone`',
      meaning: 'Where phones are made, for `PHONE_DRIVER=kubernetes`: [docs/kubernetes.md](kubernetes.md).',
    },
    {
      name: 'KUBERNETES_GATE_IMAGE',
      fallback: '(none)',
      meaning: 'The image for the containers beside Android, for `PHONE_DRIVER=kubernetes`.',
    },
    {
      name: 'KUBERNETES_STORAGE_CLASS',
      fallback: "(the cluster's default)",
      meaning: 'The storage class of volumes of phones and snapshots.',
    },
    {
      name: 'KUBECONFIG',
      fallback: '(none)',
      meaning:
        "File with the address and the credentials of the cluster's API. Without it: those of the pod that the service runs in.",
    },
    {
      name: 'KUBERNETES_SERVICE_HOST',
      fallback: '(set by Kubernetes)',
      meaning: 'Shows that the service runs in a pod, so that `KUBECONFIG` may be absent.',
    },
    {
      name: 'GATE_TOKEN',
      fallback: '(set by the service)',
      hasFile: true,
      meaning: 'In the pod of a phone: the token with which the service opens connections for it.',
    },
    {
      name: 'BOOTS_AT_ONCE',
      fallback: '(half of the processors)',
      meaning: 'How many phones in containers and emulators boot at the same time.',
    },
    {
      name: 'MOVE_MB_PER_S',
      fallback: '`100`',
      meaning:
        'Most megabytes a second that phones on their way from this host to others, and copies of snapshots, send together. `0`: no bound.',
    },
    {
      name: 'PHONE_HOST',
      fallback: '`127.0.0.1`',
      meaning:
        "Address of this host at which its phones listen, and other services and hosts reach them and its device service. Keep it in a private network: a client that reaches a phone's ADB port owns the phone.",
    },
    {
      name: 'RESIDENT_HELPERS',
      fallback: '`on`',
      meaning:
        'Whether the service may install and run the UiAutomator2 server on phones, which reads their screens in a tenth of the time: `on` or `off`. On attached phones it also needs `"helpers": "on"` in `PHONES_FILE`. Without the optional npm package `appium-uiautomator2-server` nothing is installed.',
    },
    {
      name: 'CRASHES',
      fallback: '`on`',
      meaning:
        '`off`: the logs of running phones are not watched for [crashes of apps](crashes.md), and each phone has one connection less.',
    },
    {
      name: 'SCRCPY_SERVER',
      fallback: '(the file that `npm run fetch-scrcpy` fetched)',
      meaning:
        "Path of scrcpy's server 3.3.3, with which phones encode live screens as [video](live.md#video). Another file is refused by its SHA-256; without one, live screens are pictures.",
    },
    {
      name: 'EXITS_FILE',
      fallback: "(simulated ones for simulated phones, the host's own connection for others)",
      meaning: 'The network exits on sale: [docs/network.md](network.md).',
    },
    {
      name: 'HOST_COUNTRY',
      fallback: '`zz`',
      meaning:
        "Country of the hosts' own connection, ISO 3166-1 alpha-2 in lower case: the exit `direct` of phones that are not simulated has it where there is no `EXITS_FILE`. `zz`: not known.",
    },
    {
      name: 'HOST_TIMEZONE',
      fallback: '`UTC`',
      meaning:
        'Time zone (IANA name) of the exit `direct` of phones that are not simulated, where there is no `EXITS_FILE`.',
    },
    {
      name: 'ADDRESS_URL',
      fallback: '(none)',
      meaning: "A page that shows its client's address, so that exits' addresses are known.",
    },
    {
      name: 'ALLOW_PRIVATE_TARGETS',
      fallback: '`off`',
      meaning:
        "Whether simulated phones, customers' proxies and webhooks may reach private and loopback addresses, and webhooks plain http.",
    },
  ],
} as const satisfies SettingGroup;
