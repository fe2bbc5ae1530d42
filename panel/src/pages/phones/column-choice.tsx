import { Button, Checkbox, Popover } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import Columns3 from 'lucide-react/icons/columns-3';
import { COLUMNS } from './phone-columns.tsx';
import classes from './phones.module.css';

const USUAL = COLUMNS.filter(({ isUsual }) => isUsual).map(({ id }) => id);

/** Returns the chosen columns, which this browser keeps, and the function that chooses others. */
export function useColumns() {
  const [ids, setIds] = useLocalStorage<string[]>({
    key: 'phone-columns',
    defaultValue: USUAL,
    getInitialValueInEffect: false,
  });
  return { shown: COLUMNS.filter(({ id }) => ids.includes(id)), setIds };
}

/** Chooses the columns of the table of phones. */
export function ColumnChoice({ shown, setIds }: ReturnType<typeof useColumns>) {
  const ids = shown.map(({ id }) => id);
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" size="compact-sm" leftSection={<Columns3 size={14} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns" p="sm">
        <div className={classes.columnChoice}>
          {COLUMNS.map(({ id, label }) => (
            <Checkbox
              key={id}
              size="xs"
              label={label}
              checked={ids.includes(id)}
              onChange={({ currentTarget: { checked } }) =>
                setIds(checked ? [...ids, id] : ids.filter((one) => one !== id))
              }
            />
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
