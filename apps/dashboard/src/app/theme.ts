import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The one accent colour. */
const iris: MantineColorsTuple = [
  '#f1f2fd',
  '#e0e2f8',
  '#bfc3ef',
  '#9ba1e6',
  '#7d85df',
  '#6a72da',
  '#5860cf',
  '#4c54c3',
  '#414899',
  '#333a7d',
];

const dark: MantineColorsTuple = [
  '#dfe1e6',
  '#c3c7cf',
  '#a3a8b3',
  '#777d89',
  '#3a3e46',
  '#2c2f36',
  '#1d1f24',
  '#141519',
  '#0f1013',
  '#0a0b0d',
];

const gray: MantineColorsTuple = [
  '#fafaf9',
  '#f4f4f2',
  '#e9e8e5',
  '#dcdbd7',
  '#c6c5c1',
  '#a5a5a3',
  '#7c7d80',
  '#5d5f65',
  '#3d3f45',
  '#22242a',
];

/** For what cannot be undone, and for errors; white reads on its filled shades. */
const red: MantineColorsTuple = [
  '#fdecea',
  '#f9d3d0',
  '#f2a8a3',
  '#ea7b74',
  '#e2574f',
  '#d94841',
  '#cc3d36',
  '#bd342d',
  '#a02a24',
  '#83201b',
];

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 6 },
  colors: { iris, dark, gray, red },
  fontFamily: "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '6px', md: '8px', lg: '12px', xl: '20px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Button: { defaultProps: { size: 'sm' } },
    // With the radius of larger controls, small boxes look like radio buttons.
    Checkbox: { defaultProps: { radius: 'xs' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right' } },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        yOffset: '6vh',
        overlayProps: { backgroundOpacity: 0.45 },
      },
    },
    // The page has a banner already.
    ModalHeader: { defaultProps: { role: 'none' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' } },
  },
});

/** The library's colours where its own would be too pale to read, or too stark. */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fafaf9',
    '--mantine-color-text': '#1e2025',
    '--mantine-color-dimmed': '#5d5f65',
    '--mantine-color-anchor': '#434aaf',
    '--mantine-color-placeholder': '#6b6d73',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-default-border': '#d3d2cd',
  },
  dark: {
    '--mantine-color-body': '#131417',
    '--mantine-color-text': '#dfe1e6',
    '--mantine-color-dimmed': '#a3a8b3',
    '--mantine-color-anchor': '#abb0ee',
    '--mantine-color-placeholder': '#8f949f',
    '--mantine-color-error': '#ff9a94',
    '--mantine-color-default': '#1d1f24',
    '--mantine-color-iris-light': '#25284a',
    '--mantine-color-iris-light-hover': '#2d315a',
    '--mantine-color-iris-light-color': '#c9ccf6',
    '--mantine-color-default-border': '#3a3e46',
  },
});
