import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Device } from '../../api/client.ts';
import { modelsQuery } from '../../api/offers.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import forms from '../../parts/forms.module.css';
import { LoadedCode } from '../../parts/loaded-code.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import classes from './phone.module.css';
import { tabsOf } from './tabs.ts';

/** The tabs of a phone's page, each with an address of its own. */
export function PhoneTabs({ device, tab }: { device: Device; tab: string }) {
  const [, navigate] = useLocation();
  const open = (id: string | null): void => {
    if (id !== null)
      navigate(id === 'about' ? `/phones/${device.name}` : `/phones/${device.name}/${id}`, { replace: true });
  };
  const isOn = device.state === 'running';
  const { data: models } = useQuery(modelsQuery);
  const tabs = tabsOf(models?.find((one) => one.model === device.model));
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
