/** Matches a valid header name (RFC 9110, 5.6.2). */
export const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
