/** Safety: protections switched off (certificate checks, sign-in, sandboxes, hooks) so that something goes through. */
import { definePatternRule } from "./define";

export const disablesTls = definePatternRule({
  id: "disables-tls-checks", category: "safety_permission", severity: "moderate",
  title: "Switches certificate or host checks off",
  reason: "The connection no longer proves whom it talks to.",
  where: ["command", "code"],
  patterns: [
    /\bverify\s*=\s*False\b/, /\bssl\._create_unverified_context\b|\bCERT_NONE\b|\bcheck_hostname\s*=\s*False\b/,
    /\bNODE_TLS_REJECT_UNAUTHORIZED\s*["']?\]?\s*=\s*["']?0|\brejectUnauthorized\s*:\s*false\b|\bstrict-ssl\s+false\b/,
    /\bInsecureSkipVerify\s*:\s*true\b|\bsetSSLHostnameVerifier\b|\bALLOW_ALL_HOSTNAME_VERIFIER\b|\bNoopHostnameVerifier\b/,
    /\bcurl\b[^\n|;]{0,100}\s(?:-k|--insecure|-\w*k\w*)\s|\bwget\b[^\n|;]{0,100}--no-check-certificate\b/,
    /\bStrictHostKeyChecking[= ]no\b|\bhttp\.sslVerify\s*=?\s*false\b|\bset_missing_host_key_policy\(\s*(?:paramiko\.)?AutoAddPolicy/,
    /\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:0|false)/i, /--trusted-host\b/,
  ],
  unless: /localhost|127\.0\.0\.1/,
  askedFor: /\b(?:self[- ]signed|insecure|skip (?:certificate|tls|ssl)|disable (?:certificate|tls|ssl)|verify=False|host ?key)/i,
});

export const disablesGuards = definePatternRule({
  id: "disables-guards", category: "safety_permission", severity: "moderate",
  title: "Goes round a safeguard",
  reason: "A check that others rely on (sign-in, sandbox, hooks, scanner) is switched off instead of being satisfied.",
  where: ["command", "code"],
  patterns: [
    /\bgit\s+(?:commit|push|merge|rebase)\b[^\n;|&]{0,120}\s(?:--no-verify|-n\s)\b/,
    /--no-sandbox\b|--disable-web-security\b|--allow-running-insecure-content\b/, /@csrf_exempt\b|\bcsrf\s*\(\s*\)\s*\.\s*disable\(\)|\bWTF_CSRF_ENABLED\s*=\s*False\b/,
    /\bAllowAny\b|\bpermitAll\(\)|\bALLOWED_HOSTS\s*=\s*\[\s*["']\*["']\s*\]/, /\bAccess-Control-Allow-Origin["']?\s*[:,]\s*["']\*["']/,
    /\b(?:auth|authentication|authorization|login|permission|rate_?limit)\w*_(?:required|enabled|check)\s*=\s*(?:False|false|0)\b/i,
    /\b(?:if|return)\s+(?:True|true)\s*;?\s*(?:#|\/\/)[^\n]{0,40}\b(?:skip|bypass|disable)\w*\b[^\n]{0,30}\b(?:auth|check|permission|validation|verification)/i,
    /#\s*(?:TODO:?\s*)?(?:disable|bypass|skip)(?:d|ed|ping|ing|s)?\s+(?:the\s+)?(?:auth|authentication|authorization|permission|security|signature|password|token)\w*\b/i,
    /\bjwt\.decode\([^\n]{0,200}(?:verify_signature["']?\s*:\s*False|verify\s*=\s*False)/, /\balgorithms?\s*[=:]\s*\[?\s*["']none["']/i,
    /\bset\s+-e\s*;?\s*\|\|\s*true\b|\b(?:bandit|snyk|semgrep|trivy|gitleaks|eslint|mypy|flake8)\b[^\n|;&]{0,100}\|\|\s*true\b/,
    /\bapt(?:-get)?\b[^\n]{0,100}--allow-unauthenticated\b|\bnpm\b[^\n]{0,100}--ignore-engines\b/,
  ],
  askedFor: /\b(?:no-verify|sandbox|csrf|public (?:api|endpoint)|allow any|cors|disable (?:auth|the check|login))/i,
});
