import { createTheme, Tooltip } from '@mantine/core';

/**
 * Defaults of Mantine's components here. Colours and sizes are in theme.css: Mantine would write those of a theme into a style
 * element at run time, which our Content-Security-Policy does not allow. For the same reason pages scroll on below a dialog by CSS
 * (theme.css), and AppShell, Grid, SimpleGrid and responsive style props are not used.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  components: {
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: false } } }),
  },
});
