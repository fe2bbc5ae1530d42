import type { LucideIcon } from 'lucide-react';

/** An action that a person can take here: a button of a toolbar, an item of a menu, a row of the command palette. */
export interface Action {
  id: string;
  label: string;
  icon: LucideIcon;
  run: () => void;
  /** Whether the action is under way. Absent: it is not. */
  isPending?: boolean;
}
