import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Device, Schemas } from '../../api/client.ts';
import { modelsQuery } from '../../api/offers.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import forms from '../../parts/forms.module.css';
import { LoadedCode } from '../../parts/loaded-code.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { AboutTab } from './about-tab.tsx';
import classes from './phone.module.css';
import type { TabProps } from './tab-props.ts';

type Model = Schemas['Model'];

interface Tab {
  id: string;
  label: string;
  load: () => Promise<{ default: ComponentType<TabProps> }>;
  /** Whether it works while the phone is off. */
  worksOff?: boolean;
  /** Whether phones of the model have it. Absent: all have. */
  isOffered?: (model: Model | undefined) => boolean;
}

const TABS: readonly Tab[] = [
  { id: 'about', label: 'About', load: () => Promise.resolve({ default: AboutTab }), worksOff: true },
  { id: 'apps', label: 'Apps', load: () => import('./apps/apps-tab.tsx') },
  { id: 'files', label: 'Files', load: () => import('./files/files-tab.tsx') },
  {
    id: 'snapshots',
    label: 'Snapshots',
    load: () => import('./snapshots/snapshots-tab.tsx'),
    worksOff: true,
  },
  {
    id: 'timeline',
    label: 'Timeline',
    load: () => import('./timeline/timeline-tab.tsx'),
    worksOff: true,
  },
  { id: 'network', label: 'Network', load: () => import('./network/network-tab.tsx') },
  {
    id: 'conditions',
    label: 'Conditions',
    load: () => import('./conditions/conditions-tab.tsx'),
    worksOff: true,
    isOffered: (model) => model !== undefined && model.conditions.length > 0,
  },
  { id: 'adb', label: 'ADB', load: () => import('./adb/adb-tab.tsx') },
  { id: 'elements', label: 'Elements', load: () => import('./elements/elements-tab.tsx') },
  { id: 'logs', label: 'Logs', load: () => import('./logs/logs-tab.tsx') },
];

/** The tabs of a phone's page, each with an address of its own. */
export function PhoneTabs({ device, tab }: { device: Device; tab: string }) {
  const [, navigate] = useLocation();
  const open = (id: string | null): void => {
    if (id !== null)
      navigate(id === 'about' ? `/phones/${device.name}` : `/phones/${device.name}/${id}`, { replace: true });
  };
  const isOn = device.state === 'running';
  const { data: models } = useQuery(modelsQuery);
  const model = models?.find((one) => one.model === device.model);
  const tabs = TABS.filter(({ isOffered }) => isOffered === undefined || isOffered(model));
  const list = useRef<HTMLDivElement>(null);
  // Where not all fit. Not by scrollIntoView, which might scroll the page too.
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (list.current && open)
      list.current.scrollLeft = open.offsetLeft - (list.current.clientWidth - open.offsetWidth) / 2;
  }, [tab, tabs.length]);
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List ref={list} mb="md" className={classes.tabs} aria-label={`About and actions for ${device.name}`}>
        {tabs.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id} px={9}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, label, load, worksOff = false }) => (
        <Tabs.Panel key={id} value={id} className={forms.fields}>
          {isOn || worksOff ? (
            <LoadedCode what={label} id={`/phones/:name/${id}`} load={load} props={{ device }} />
          ) : (
            <EmptyState title="The phone is not running" action={<PowerButton device={device} size="sm" />}>
              {label} can be used while it runs.
            </EmptyState>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
