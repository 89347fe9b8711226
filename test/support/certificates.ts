// A certificate authority for tests, its certificates for 127.0.0.1 and their key. They protect nothing.
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

/** What a program has to trust for {@link CERTIFICATES} to be of a known issuer. */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBcTCCARagAwIBAgIUSZKHTmr/QBZMNbZ4yjk4uHFqHo8wCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSYXJ4IHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyMTIwNDE0MloY
DzIxMjYxMDI4MjA0MTQyWjAdMRswGQYDVQQDDBJhcnggdGVzdCBhdXRob3JpdHkw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATbw4kc8hdrKzS0b6eAMKNLRySptLaX
kSHWDpjcHLRT9BG6wXJLUolgcQvC1fM6yoy+I3OTsJzLGOE/tty/IJG6ozIwMDAP
BgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBS5Bspy1mKqMITLB+qm5nFxLViIozAK
BggqhkjOPQQDAgNJADBGAiEAz2iNrjceZJx9zL9C/5S1Y4sgHPIdE0B6lWfsPX/w
9qkCIQDUU8w086pBLSu68EfTkqt3/pg/DpN2zLcz+PxOeDiG7g==
-----END CERTIFICATE-----
`;

/** The key of all of them. */
export const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIJkqlEzfn18R4QfjIIty2YoCtL1SWuwmDtbBsNCwBUjCoAoGCCqGSM49
AwEHoUQDQgAElDdiLCo2YNNbOC0O+x1l/ct0mHhl6W5kCGmaS1YildxQEoq0aQK4
hlSOQJM5v8KhGxAHwAdyJIRsDQjZZ/NZEg==
-----END EC PRIVATE KEY-----
`;

export const CERTIFICATES = {
  right: `-----BEGIN CERTIFICATE-----
MIIBcTCCARagAwIBAgIBAzAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJhcnggdGVz
dCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMA8x
DTALBgNVBAMMBGdvb2QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASUN2IsKjZg
01s4LQ77HWX9y3SYeGXpbmQIaZpLViKV3FASirRpAriGVI5Akzm/wqEbEAfAB3Ik
hGwNCNln81kSo1MwUTAPBgNVHREECDAGhwR/AAABMB0GA1UdDgQWBBSaak0nbD/2
0qkqZO0S2pzYSnu/oTAfBgNVHSMEGDAWgBS5Bspy1mKqMITLB+qm5nFxLViIozAK
BggqhkjOPQQDAgNJADBGAiEAz7pQ0JieoUcm/Di2ZNVHeVspeZBBCCBjJXQeRzxI
7D8CIQD26ep3pWBW9z52zFSJVdq6r29LfXeVgFmA8FPvUAAsHg==
-----END CERTIFICATE-----
`,
  expired: `-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIBATAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJhcnggdGVz
dCBhdXRob3JpdHkwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjASMRAw
DgYDVQQDDAdleHBpcmVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElDdiLCo2
YNNbOC0O+x1l/ct0mHhl6W5kCGmaS1YildxQEoq0aQK4hlSOQJM5v8KhGxAHwAdy
JIRsDQjZZ/NZEqNTMFEwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUmmpNJ2w/
9tKpKmTtEtqc2Ep7v6EwHwYDVR0jBBgwFoAUuQbKctZiqjCEywfqpuZxcS1YiKMw
CgYIKoZIzj0EAwIDSAAwRQIhAK3Ltqb4FGV8I1GksGoz3MGrBg0L7+bs+5yPKzD2
UTZZAiA0mF3l9koOtXrxU3HNJus+A9KnN36OXUpulAXjqaP0lA==
-----END CERTIFICATE-----
`,
  otherName: `-----BEGIN CERTIFICATE-----
MIIBfjCCASSgAwIBAgIBAjAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJhcnggdGVz
dCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQx
EjAQBgNVBAMMCW90aGVybmFtZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJQ3
YiwqNmDTWzgtDvsdZf3LdJh4ZeluZAhpmktWIpXcUBKKtGkCuIZUjkCTOb/CoRsQ
B8AHciSEbA0I2WfzWRKjXDBaMBgGA1UdEQQRMA+CDW90aGVyLmV4YW1wbGUwHQYD
VR0OBBYEFJpqTSdsP/bSqSpk7RLanNhKe7+hMB8GA1UdIwQYMBaAFLkGynLWYqow
hMsH6qbmcXEtWIijMAoGCCqGSM49BAMCA0gAMEUCICM035m7KdaUjn9oWipy7k4H
Gbv6kUBAC1XJdsIy8DlbAiEArt6u3NT5QyEzV94prvJpyLNTsWuW/wpC+Hpt9Pj0
lX8=
-----END CERTIFICATE-----
`,
};

/** From here on this process trusts the authority; what is given ends it. */
export function trustAuthority(): () => void {
  const real = tls.connect;
  const trusting = (options: tls.ConnectionOptions) => real({ ...options, ca: AUTHORITY });
  const set = (connect: unknown): void => {
    tls.connect = connect as typeof tls.connect;
    syncBuiltinESMExports();
  };
  set(trusting);
  return () => set(real);
}
