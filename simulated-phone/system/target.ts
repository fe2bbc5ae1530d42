/**
 * The activity or app to open. `byIcon`: it is opened by the intent that a launcher sends, which brings an open app to the front as it was
 * left.
 */
export type Target = { component: string; byIcon?: boolean; data?: string } | { package: string } | IntentTarget;

/** An intent without a component. `package`: it is only for this app. */
export interface IntentTarget {
  action: string;
  data?: string;
  type?: string;
  categories?: readonly string[];
  package?: string;
}
