import { Button, Menu, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { useLocation } from 'wouter';
import type { Device } from '../../api/client.ts';
import { modelsQuery } from '../../api/offers.ts';
import { useRight, useRole } from '../../api/use-right.ts';
import { Changing } from '../../leases/changing.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import forms from '../../parts/forms.module.css';
import { LoadedCode } from '../../parts/loaded-code.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { RoleNeeded } from '../../parts/role-needed.tsx';
import { useFitting } from '../../parts/use-fitting.ts';
import classes from './phone.module.css';
import { rightLacked, tabsOf, type Tab } from './tabs.ts';

/** Width of the menu's button, px. */
const MENU_PX = 76;

/**
 * The tabs of a phone's page, each with an address of its own. Tabs that do not fit beside each other are in a menu; the open tab never is.
 */
export function PhoneTabs({ device, tab }: { device: Device; tab: string }) {
  const [, navigate] = useLocation();
  const open = (id: string | null): void => {
    if (id !== null)
      navigate(id === 'about' ? `/phones/${device.name}` : `/phones/${device.name}/${id}`, { replace: true });
  };
  const isOn = device.state === 'running';
  const { data: models } = useQuery(modelsQuery);
  const role = useRole();
  const tabs = tabsOf(
    models?.find((one) => one.model === device.model),
    role,
  );
  const lacked = rightLacked(tab, role);
  const keeps = tabs.findIndex(({ id }) => id === tab);
  const { row, ruler, fits } = useFitting({ count: tabs.length, menuPx: MENU_PX, keeps });
  const others = tabs.filter((_, index) => !fits.includes(index));
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <div ref={row} className={classes.tabs}>
        <div ref={ruler} className={classes.tabRuler} aria-hidden>
          {tabs.map(({ id, label }) => (
            <span key={id} className={classes.tab}>
              {label}
            </span>
          ))}
        </div>
        <Tabs.List className={classes.tabList} aria-label={`About and actions for ${device.name}`}>
          {tabs.map(
            ({ id, label }, index) =>
              fits.includes(index) && (
                <Tabs.Tab key={id} value={id} className={classes.tab}>
                  {label}
                </Tabs.Tab>
              ),
          )}
        </Tabs.List>
        {others.length > 0 && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button
                variant="subtle"
                color="gray"
                className={classes.moreTabs}
                rightSection={<ChevronDown size={14} />}
                aria-label={`More: ${others.map(({ label }) => label).join(', ')}`}
              >
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map(({ id, label, icon: Icon }) => (
                <Menu.Item key={id} leftSection={<Icon size={16} />} onClick={() => open(id)}>
                  {label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {lacked !== undefined && <RoleNeeded right={lacked} />}
      {tabs.map((one) => (
        <Tabs.Panel key={one.id} value={one.id} className={forms.fields} data-flat>
          {isOn || one.worksOff === true ? (
            <TabContent device={device} tab={one} />
          ) : (
            <EmptyState title="The phone is not running" action={<PowerButton device={device} size="sm" />}>
              {one.label} can be used while it runs.
            </EmptyState>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The content of a tab. Tabs that also read decide themselves what a lease disables. */
function TabContent({ device, tab: { id, label, load, alsoReads = false } }: { device: Device; tab: Tab }) {
  const content = <LoadedCode what={label} id={`/phones/:name/${id}`} load={load} props={{ device }} />;
  const mayChange = useRight('phones');
  // People who only look have nothing that a lease could disable, and keep what the tab shows.
  return alsoReads || !mayChange ? content : <Changing device={device}>{content}</Changing>;
}
