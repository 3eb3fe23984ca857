// Calls each "METHOD URL SECONDS" of standard input through the proxy, and repeats a call that took longer.
use std::env::var;
use std::io::{stdin, Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

fn call(host: &str, token: &str, method: &str, url: &str, seconds: f64) -> Result<String> {
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(Duration::from_secs_f64(seconds)))?;
    write!(stream, "{method} /{url} HTTP/1.1\r\nHost: {host}\r\nTouchstone-Token: {token}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Follows redirects, which the proxy rewrites to its own paths.
fn location(answer: &str) -> Option<String> {
    let head = answer.split("\r\n\r\n").next()?;
    let line = head.lines().find(|line| line.to_lowercase().starts_with("location: /"))?;
    Some(line["location: /".len()..].to_string())
}

fn main() {
    let (proxy, token) = (var("PROXY").unwrap(), var("TOKEN").unwrap());
    for line in stdin().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let mut url = words[1].to_string();
        println!("@@ {} {}", words[0], words[1]);
        for _ in 0..20 {
            let seconds = words[2].parse().unwrap();
            let Ok(answer) = call(proxy.trim_start_matches("http://"), &token, words[0], &url, seconds) else {
                println!("@@ {} {}", words[0], words[1]);
                continue;
            };
            println!("{answer}");
            match location(&answer) {
                Some(next) => url = next,
                None => break,
            }
        }
    }
}
