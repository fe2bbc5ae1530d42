/** The settings of all services and of the operator's command line, some of which a process alone does not read. */
export const SETTING_NAMES: readonly string[] = `
  ADDRESS_URL ALLOWED_HOSTS ALLOW_PRIVATE_TARGETS ANDROID_HOME BEHIND_PROXY BILLING BOOTS_AT_ONCE CATALOG_DIR DATA_DIR
  DEVICE_GRPC_PORT DEVICE_HOST DEVICE_REQUESTS_PER_MINUTE DEVICE_SERVICE_URL DOCKER_HOST EXITS_FILE FFMPEG
  GATEWAY_HOST GRPC_TLS_CA GRPC_TLS_CERT GRPC_TLS_KEY HOST HOST_ID KEY_REQUESTS_PER_MINUTE KUBECONFIG
  KUBERNETES_GATE_IMAGE KUBERNETES_NAMESPACE KUBERNETES_SERVICE_HOST KUBERNETES_STORAGE_CLASS LOG_LEVEL MESH_TOKEN
  MESH_TOKEN_FILE MODELS_FILE MONGODB_DATABASE MONGODB_URL MONGODB_URL_FILE OPS_HOST OPS_PORT PHONES_FILE PHONE_DRIVER
  PHONE_HOST PHONE_SUBNETS PORT PRICE_MINUTE PRICE_MONTH PUBLIC_URL QUOTA_DEVICES QUOTA_STORAGE_GB REDIRECT_PORT
  RELAY_GRPC_HOST RELAY_GRPC_PORT RELAY_HOST RELAY_ID RELAY_LISTEN RELAY_PORTS RELAY_SERVICE_URL RESIDENT_HELPERS
  SCRCPY_SERVER SCREEN_GRPC_PORT SCREEN_HOST SCREEN_SERVICE_URL SECRETS_KEY SECRETS_KEY_FILE SIGNUP SIMULATED_BOOT_MS
  SIMULATED_GRACE_MS SIMULATED_MEMORY_MB SIMULATED_PROCESSES SIMULATED_STORAGE_MB STATUS_API_URL STATUS_HOST
  STATUS_PORT STATUS_SERVICE_URL STOP_DELAY_MS STRIPE_API_URL STRIPE_SECRET_KEY STRIPE_SECRET_KEY_FILE
  STRIPE_WEBHOOK_SECRET STRIPE_WEBHOOK_SECRET_FILE TIMELINE_DAYS TIMELINE_MB TLS_CERT TLS_KEY TRIAL_MINUTES
  WEBHOOK_GRPC_PORT WEBHOOK_HOST WEBHOOK_SERVICE_URL
`
  .trim()
  .split(/\s+/);

/** Names shorter than this are one letter from many words of other programs; they count as misspelt by one letter, others by two. */
const SHORT = 8;

/** A line for each variable that is no setting but one or two letters from one, which would have no effect. Values are not shown. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(SETTING_NAMES);
  return Object.keys(environment)
    .filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && name.length <= 40 && !known.has(name))
    .flatMap((name) => {
      const meant = SETTING_NAMES.find((setting) => distance(name, setting) <= (setting.length < SHORT ? 1 : 2));
      // One of the two may be set rightly, and the other be another program's.
      if (meant === undefined || environment[meant] !== undefined) return [];
      return [`${name} is not a setting and has no effect. Is ${meant} meant?`];
    });
}

/** Levenshtein's: how many letters are to be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
