use holdpoint::*;
#[tokio::test]
async fn smoke() {
    for url in [format!("sqlite://{}/h.db", tempfile::tempdir().unwrap().keep().display()), std::env::var("HOLDPOINT_TEST_POSTGRES_URL").unwrap()] {
        let l = Ledger::open(&url).await.unwrap();
        let i = Intent::text(format!("r{}", rand::random::<u64>()), 1, "send_email", "a@b", "hi").unwrap();
        let n: u32 = l.once("w", &i, |g| async move { Ok(g.attempt) }).await.unwrap();
        let m: u32 = l.once("w", &i, |_| async move { Ok(9) }).await.unwrap();
        assert_eq!((n, m), (1, 1));
        let i = Intent::text(format!("r{}", rand::random::<u64>()), 1, "send_email", "a@b", "hi").unwrap();
        let e = l.once::<u32, _, _>("w", &i, |_| async move { Err(EffectError::unknown("boom")) }).await;
        println!("{e:?}");
        let ada = Actor::Person { name: "ada".into(), role: Role::Admin };
        let d = l.read(&ada, &i.key()).await.unwrap();
        println!("{:#?}", d);
        let s = l.statistics(&ada).await.unwrap();
        println!("{:?}", s);
        let p = l.list(&ada, &ledger::Filter { limit: 1, ..Default::default() }).await.unwrap();
        println!("{:?}", p.next.map(|c| c.to_string()));
        let r = l.decide(&ada, &i.key(), Decision::Retry, "checked", d.action.version, None).await.unwrap();
        assert_eq!(r.action.status, Status::Released);
        let q: u32 = l.once("w", &i, |g| async move { Ok(g.attempt) }).await.unwrap();
        assert_eq!(q, 2);
        let rec = l.put_policy(&ada, &format!("k{}", rand::random::<u32>()), None, &Policy::default(), "because").await.unwrap();
        println!("{rec:?} {:?}", l.reap().await.unwrap());
        l.add_operator(&ada, &format!("n{}", rand::random::<u32>()), Role::Viewer, "x").await.unwrap();
        let t = l.create_token(&ada, ledger::NewToken{name: format!("n{}", rand::random::<u32>()), scope: Scope::Worker, operator: None, kinds: None, expires_in_s: Some(99)}).await.unwrap();
        println!("{:?}", l.actor_of_token(&t).await.unwrap());
    }
}
