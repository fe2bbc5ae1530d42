/** A guide of a shelf. */
export interface ShelvedGuide {
  /** Its path in the repository. */
  file: string;
  /** What a reader finds there, as one line. It is searched too, so it has the words that readers type. */
  about: string;
  /** Its name in lists. Absent: the title of the file. */
  title?: string;
}

/** The guides for one kind of reader. */
export interface Shelf {
  reader: string;
  /** What such a reader wants, as one line. */
  wants: string;
  /** Whether it is for those who change the service, so that its guides count less in the search. */
  isInside?: boolean;
  guides: readonly ShelvedGuide[];
}

const guide = (file: string, about: string, title?: string): ShelvedGuide => ({
  ...{ file, about },
  ...(title !== undefined && { title }),
});

/** All guides by reader, in the order of the home page and the sidebar. A test holds that each guide of docs/ is on one shelf. */
export const SHELVES: readonly Shelf[] = [
  {
    reader: 'New here',
    wants: 'See what it is, and use a first phone.',
    guides: [
      guide('README.md', 'What the service is, what it needs, and how to start it.', 'About the service'),
      guide('docs/first-phone.md', 'Create a phone, see its screen, act on it and delete it, with curl.'),
      guide('docs/shares.md', 'Show one phone to somebody without an account, by a link.'),
    ],
  },
  {
    reader: 'API developers',
    wants: 'Call the service from a program.',
    guides: [
      guide('docs/errors-and-limits.md', 'Error kinds, rate limits, quotas, and which requests to retry.'),
      guide('client/README.md', 'The client for TypeScript, JavaScript and Node.', 'TypeScript'),
      guide('docs/python.md', 'The client for Python, sync and async, with pytest.'),
      guide(
        'docs/generated-clients.md',
        'Clients for Go, Java and other languages, from the OpenAPI file.',
        'Go, Java and others',
      ),
      guide('docs/events.md', 'A stream of what happens to phones, as server-sent events.'),
      guide('docs/webhooks.md', 'Signed requests to your server, and how to verify the signature.'),
      guide('docs/teams.md', 'Members, roles, invitations, sign-in and audit of an account.'),
      guide('docs/second-factors.md', 'Codes of an app, passkeys and recovery codes, and how to require them.'),
      guide('docs/billing.md', 'What phones cost: prices, minutes, the trial and credit.'),
    ],
  },
  {
    reader: 'Agent developers',
    wants: 'Let a model see and use phones.',
    guides: [
      guide('docs/agent-loop.md', 'Observe and act: one request a turn, in TypeScript, Python and Go.'),
      guide('docs/gym.md', 'Measure agents: 100 tasks with verdicts by the state of the phone.'),
      guide('docs/mcp.md', 'Tools for Claude, Cursor, VS Code and other hosts of MCP.', 'MCP'),
    ],
  },
  {
    reader: 'Features of phones',
    wants: 'Put phones to work.',
    guides: [
      guide('docs/apps.md', 'Install apps: an APK, a bundle, or an app of the catalogue.'),
      guide('docs/files.md', 'Copy files to a phone and from it: upload, download, list, delete.'),
      guide('docs/live.md', 'Watch and touch a screen live over a WebSocket, as pictures or video.'),
      guide('docs/recordings.md', 'Record the screen of a phone as a video, and play it: MP4 files.'),
      guide('docs/logs.md', 'Read the log of a phone, and follow it as it is written.'),
      guide('docs/crashes.md', 'Apps that crash or do not respond (ANR), with traces and events.'),
      guide('docs/snapshots.md', 'Save a phone, roll it back, and make copies of it.'),
      guide('docs/handovers.md', 'Ask a person to do what a program must not, and wait for it.'),
      guide('docs/leases.md', 'Keep a phone for one program, for a time: who has which phone.'),
      guide('docs/pools.md', 'Phones that run before they are needed, for a lease in a second.'),
      guide('docs/templates.md', 'Make new phones of one that is prepared: apps, logins and settings in place.'),
      guide('docs/groups.md', 'Run the same steps on many phones, at once or every week.'),
      guide('docs/network.md', 'The IP address, country and proxy of a phone.'),
      guide('docs/conditions.md', 'Set the GPS location, the battery and the connection that apps see.'),
      guide('docs/replay.md', 'Record what a person does on a phone, and run it again.'),
      guide('docs/timeline.md', 'What was done with a phone, with pictures: a recording of a test.'),
    ],
  },
  {
    reader: 'adb and test users',
    wants: 'Keep the tools that you have.',
    guides: [
      guide('docs/cli.md', 'Phones in a terminal and in CI: adb through https, test runs.'),
      guide('docs/ci.md', 'Pipelines for GitHub and GitLab: Gradle, Appium and Maestro.'),
      guide('docs/adb.md', 'Connect a stock adb to a phone: shell, install, logcat, push, pull.'),
      guide('docs/appium.md', 'Run Appium tests on a cloud phone.'),
      guide('docs/phone.md', 'One simulated phone in CI, without the service.', 'A phone without the service'),
    ],
  },
  {
    reader: 'Teams on gRPC',
    wants: 'Call the services from inside, without REST.',
    guides: [guide('docs/grpc.md', 'Ports, reflection, health, credentials and grpcurl.', 'gRPC')],
  },
  {
    reader: 'Operators: the service',
    wants: 'Install it, watch it, keep it.',
    guides: [
      guide('docs/settings.md', 'Every environment variable, with its default.'),
      guide('docs/containers.md', 'Install with Docker Compose or Podman.', 'Docker and Podman'),
      guide('docs/kubernetes.md', 'Phones as pods, and the Helm chart.', 'Kubernetes'),
      guide('docs/systemd.md', 'Install on one machine as units of systemd.', 'systemd'),
      guide('docs/tls.md', 'https: certificates of its own, or nginx and Caddy in front.'),
      guide(
        'docs/operating.md',
        'Prometheus metrics, alerts, logs, readiness, disk space and accounts.',
        'Monitoring and operating',
      ),
      guide('docs/backup.md', 'Back up database, phones and keys, and restore a lost machine.'),
      guide('docs/database.md', 'The embedded database, and how to move to MongoDB.', 'Embedded database'),
      guide('docs/moving.md', 'Empty a host, and move phones to other hosts.', 'Moving phones'),
      guide(
        'docs/rotation.md',
        'Replace keys, tokens, passwords and certificates without a stop.',
        'Rotation of secrets',
      ),
      guide('docs/upgrades.md', 'Upgrade to a newer version, and roll back.'),
      guide('docs/single-sign-on.md', 'People sign in at your identity provider: OpenID Connect, groups, roles.'),
      guide('docs/mail.md', 'A mail server: forgotten passwords, invitations and notices.'),
      guide('docs/status.md', 'The public page that shows whether the service works.', 'Status page'),
      guide('docs/topups.md', 'Let owners buy credit by card, with Stripe.'),
      guide('docs/node.md', 'The versions that it runs on, and for how long.'),
    ],
  },
  {
    reader: 'Operators: phones',
    wants: 'Offer real Android, and many of it.',
    guides: [
      guide('docs/real-phones.md', 'Android in containers (redroid) and emulators of this host.'),
      guide('docs/hosts.md', '1, 5 and 25 hosts: hardware, subnets, sysctls, capacity, tenants, reports.', 'Hosts'),
      guide('docs/attached-phones.md', 'Your own phones: by USB, in your network, or an emulator.'),
      guide('docs/check-phones.md', 'A table of what the phones of a model do.'),
      guide('docs/scale.md', 'The parts of a large cluster, and which limit comes first.', 'Large clusters'),
    ],
  },
  {
    reader: 'Contributors',
    wants: 'Change the service.',
    isInside: true,
    guides: [
      guide('docs/paths.md', 'How requests travel through the code, file by file.', 'Paths of requests'),
      guide('docs/relay.md', 'How the ADB relay guards a connection.'),
      guide('docs/words.md', 'One word for each idea, in code and texts.'),
    ],
  },
];
