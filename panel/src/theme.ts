import { createTheme, Tooltip } from '@mantine/core';

/**
 * Sets the defaults of Mantine's components. Colours and sizes are in theme.css: Mantine would write a theme's colours into a style element
 * at run time. The panel's Content-Security-Policy does not allow such elements. For the same reason, theme.css and not Mantine keeps the
 * page behind a dialog from scrolling. AppShell, Grid, SimpleGrid and responsive style props are not used either.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  components: {
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: false } } }),
  },
});
